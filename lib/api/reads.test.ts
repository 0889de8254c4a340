import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { BASE, type Fixture, openFixture, TOKEN, VAULTS, WIDGETS } from "./testing/fixture";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());
beforeEach(async () => {
  await fixture.store.pool.query("delete from resource");
});

const ALL = "/apis/setpoint.dev/v1alpha1/widgets";
const names = (body: { items: { metadata: { name: string } }[] }) => body.items.map((item) => item.metadata.name);

/** Reads frames of a watch until `enough` says so, or it ends. */
async function frames(
  path: string,
  enough: (got: Frame[]) => boolean,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<Frame[]> {
  const left = new AbortController();
  const response = await fixture.api.handle(
    new Request(`${BASE}${path}`, { headers: { authorization: `Bearer ${TOKEN}` }, signal: left.signal }),
  );
  expect(response.status).toBe(200);
  const reader = response.body?.getReader();
  if (!reader) throw new Error("no body");
  const acting = meanwhile();
  let text = "";
  const decoder = new TextDecoder();
  for (;;) {
    const got: Frame[] = text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    if (enough(got)) break;
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  await acting;
  left.abort();
  await reader.cancel();
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}
interface Frame {
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back.
  object: any;
}
const told = (got: Frame[]) => got.map(({ type, object }) => `${type} ${object.metadata.name ?? object.code}`);

describe("a list", () => {
  it("pages through all namespaces in order, without doubles, by continue tokens", async () => {
    for (const name of ["c", "a", "b", "e", "d"]) await fixture.create(WIDGETS, name, { size: 1 });
    await fixture.create(WIDGETS.replace("default", "other"), "a", { size: 1 });
    const seen: string[] = [];
    let token = "";
    for (;;) {
      const { body } = await fixture.call("GET", `${ALL}?limit=2&continue=${token}`);
      seen.push(...body.items.map((i: { metadata: { namespace: string; name: string } }) => `${i.metadata.namespace}/${i.metadata.name}`));
      if (!body.metadata.continue) break;
      expect(body.metadata.remainingItemCount).toBe(6 - seen.length);
      token = encodeURIComponent(body.metadata.continue);
    }
    expect(seen).toEqual(["default/a", "default/b", "default/c", "default/d", "default/e", "other/a"]);
    expect((await fixture.call("GET", `${ALL}?continue=nonsense`)).body).toMatchObject({
      code: 400,
      message: expect.stringContaining("invalid continue token"),
    });
  });

  it("selects by labels and fields, and refuses selectors it does not know", async () => {
    for (const [name, team] of [
      ["a", "red"],
      ["b", "blue"],
    ] as const)
      await fixture.call("POST", WIDGETS, { metadata: { name, labels: { team } }, spec: { size: 1 } });
    await fixture.create(WIDGETS, "c", { size: 1 });
    const by = async (query: string) => names((await fixture.call("GET", `${WIDGETS}?${query}`)).body);
    expect(await by("labelSelector=team%3Dred")).toEqual(["a"]);
    expect(await by("labelSelector=team%20in%20(red,blue)")).toEqual(["a", "b"]);
    expect(await by("labelSelector=!team")).toEqual(["c"]);
    expect(await by("labelSelector=team!%3Dred")).toEqual(["b", "c"]);
    expect(await by("fieldSelector=metadata.name%3Db")).toEqual(["b"]);
    for (const query of [
      "labelSelector=a%20b%20c",
      "fieldSelector=spec.size%3D1",
      "resourceVersion=abc",
      "limit=-1",
      "resourceVersion=99999999",
    ])
      expect((await fixture.call("GET", `${WIDGETS}?${query}`)).status).toBe(400);
  });
});

describe("a watch", () => {
  it("replays from a resourceVersion what happened since, in order, and goes on live", async () => {
    const { body: first } = await fixture.create(WIDGETS, "a", { size: 1 });
    await fixture.create(VAULTS, "not-a-widget", { values: {} });
    await fixture.create(WIDGETS, "b", { size: 1 });
    await fixture.call("PATCH", `${WIDGETS}/a`, { spec: { size: 2 } });
    const got = await frames(
      `${WIDGETS}?watch=true&resourceVersion=${first.metadata.resourceVersion}`,
      (all) => all.length >= 4,
      async () => {
        await fixture.create(WIDGETS, "c", { size: 1 });
        await fixture.call("DELETE", `${WIDGETS}/b`);
      },
    );
    expect(told(got)).toEqual(["ADDED b", "MODIFIED a", "ADDED c", "MODIFIED b"]);
    const versions = got.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((x, y) => x - y));
  });

  it("without a resourceVersion begins with what there is", async () => {
    await fixture.create(WIDGETS, "a", { size: 1 });
    const got = await frames(
      `${WIDGETS}?watch=1`,
      (all) => all.length >= 2,
      async () => fixture.create(WIDGETS, "b", { size: 1 }),
    );
    expect(told(got)).toEqual(["ADDED a", "ADDED b"]);
  });

  it("tells that an object left the selection, with its old labels and the new resourceVersion", async () => {
    const { body: first } = await fixture.call("POST", WIDGETS, { metadata: { name: "a", labels: { team: "red" } }, spec: { size: 1 } });
    const { body: second } = await fixture.call("PATCH", `${WIDGETS}/a`, { metadata: { labels: { team: "blue" } } });
    await fixture.call("PATCH", `${WIDGETS}/a`, { metadata: { labels: { team: "red" } } });
    const got = await frames(
      `${WIDGETS}?watch=true&labelSelector=team%3Dred&resourceVersion=${first.metadata.resourceVersion}`,
      (all) => all.length >= 2,
    );
    expect(told(got)).toEqual(["DELETED a", "ADDED a"]);
    expect(got[0]?.object.metadata).toMatchObject({ labels: { team: "red" }, resourceVersion: second.metadata.resourceVersion });
  });

  it("ends cleanly after timeoutSeconds", async () => {
    expect(await frames(`${WIDGETS}?watch=true&timeoutSeconds=1`, () => false)).toEqual([]);
  });

  it("says 410 Expired in an ERROR event when the resourceVersion is too old, or newer than the store, and 400 for what is none", async () => {
    const { body: first } = await fixture.create(WIDGETS, "a", { size: 1 });
    for (const size of [2, 3, 4]) await fixture.call("PATCH", `${WIDGETS}/a`, { spec: { size } });
    await fixture.store.pool.query("delete from change where resource_version < (select max(resource_version) from change)");
    const got = await frames(`${WIDGETS}?watch=true&resourceVersion=${first.metadata.resourceVersion}`, () => false);
    expect(got).toHaveLength(1);
    expect(got[0]).toMatchObject({
      type: "ERROR",
      object: { code: 410, reason: "Expired", message: expect.stringContaining("too old resource version") },
    });
    // As after a restore: a client that waited for it to come would wait for ever.
    const ahead = await frames(`${WIDGETS}?watch=true&resourceVersion=999999999`, () => false);
    expect(ahead).toMatchObject([{ type: "ERROR", object: { code: 410, reason: "Expired" } }]);
    expect((await fixture.call("GET", `${WIDGETS}?watch=true&resourceVersion=abc`)).status).toBe(400);
  });

  it("ends when the process stops", async () => {
    const other = await openFixture();
    const response = await other.api.handle(new Request(`${BASE}${WIDGETS}?watch=true`, { headers: { authorization: `Bearer ${TOKEN}` } }));
    const ended = response.text();
    await other.close();
    expect(await ended).toBe("");
  });
});

describe("the pages' stream", () => {
  it("says hello, then what changed, resumes after the last event, and tells of a gap", async () => {
    const open = async (headers: Record<string, string> = {}) => {
      const left = new AbortController();
      const response = await fixture.api.handle(
        new Request(`${BASE}/api/console/stream`, { headers: { authorization: `Bearer ${TOKEN}`, ...headers }, signal: left.signal }),
      );
      const reader = response.body?.getReader();
      let text = "";
      const decoder = new TextDecoder();
      return {
        async until(word: string) {
          while (reader && !text.includes(word)) {
            const { done, value } = await reader.read();
            if (done) break;
            text += decoder.decode(value);
          }
          return text;
        },
        async close() {
          left.abort();
          await reader?.cancel();
        },
      };
    };
    const first = await open();
    const hello = await first.until("event: hello");
    const id = /id: (\d+)/.exec(hello)?.[1] ?? "";
    await fixture.create(WIDGETS, "a", { size: 1 });
    expect(await first.until('"name":"a"')).toContain('"type":"ADDED"');
    await first.close();
    const resumed = await open({ "last-event-id": id });
    expect(await resumed.until('"name":"a"')).toContain("event: change");
    await resumed.close();
    const lost = await open({ "last-event-id": "99999999" });
    expect(await lost.until("event: gap")).toContain("event: gap");
    await lost.close();
  });
});
