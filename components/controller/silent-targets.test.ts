import { describe, expect, it } from "vitest";
import { silentTargets, waitingText } from "./silent-targets";

const at = (second: number) => `2026-11-30T14:00:${String(second).padStart(2, "0")}.000Z`;
const trouble = {
  target: "postgres:db:5432/main",
  reason: "Unreachable",
  message: "refused",
  since: at(2),
  nextAttemptAt: at(30),
  waiting: 3,
};

describe("targets that do not answer", () => {
  it("are shown once each, since the first kind noticed and until the first tries again, with all kinds that wait", () => {
    const rows = [
      { kind: "ConfigFile" },
      { kind: "PostgresRole", targets: [trouble, { ...trouble, target: "postgres:other", since: at(9) }] },
      { kind: "PostgresServer", targets: [{ ...trouble, message: "timeout", since: at(1), nextAttemptAt: at(40), waiting: 1 }] },
    ];
    const [first, second, ...more] = silentTargets(rows);
    expect(more).toEqual([]);
    expect(first).toEqual({
      target: "postgres:db:5432/main",
      message: "timeout",
      since: at(1),
      nextAttemptAt: at(30),
      waiting: [
        { kind: "PostgresRole", objects: 3 },
        { kind: "PostgresServer", objects: 1 },
      ],
    });
    expect(second?.target).toBe("postgres:other");
  });

  it("say how many of which kind wait", () => {
    expect(waitingText(silentTargets([{ kind: "PostgresRole", targets: [{ ...trouble, waiting: 1 }] }])[0]?.waiting ?? [])).toBe(
      "1 PostgresRole waits",
    );
    expect(
      waitingText([
        { kind: "PostgresRole", objects: 10_000 },
        { kind: "PostgresServer", objects: 1 },
      ]),
    ).toBe("10,000 PostgresRole, 1 PostgresServer wait");
    expect(waitingText([{ kind: "PostgresRole", objects: 0 }])).toBe("no object waits");
  });

  it("are none where every target answers", () => {
    expect(silentTargets([{ kind: "ConfigFile" }, { kind: "Secret", targets: [] }])).toEqual([]);
  });
});
