/** setpoint pause, resume, reconcile: the operator's hand. */
import { systemClock, toIso } from "@/lib/clock";
import { Failure } from "../failure";
import { pathOf } from "../kinds";
import { textAt } from "../objects";
import { durationOf } from "../options";
import { nameOf, type Session } from "../session";

export async function pause(session: Session): Promise<number> {
  const { client, options, terminal } = session;
  if (!options.reason) throw new Failure("say why with --reason");
  const until = options.for === undefined ? {} : { until: toIso(systemClock.now() + durationOf(options.for, "--for")) };
  for (const ref of await session.targets()) {
    await client.ask(pathOf(ref, "control"), { method: "PATCH", body: { paused: { reason: options.reason, ...until } } });
    terminal.out(`${nameOf(ref)} paused${"until" in until ? ` until ${until.until}` : ""}\n`);
  }
  return 0;
}

export async function resume(session: Session): Promise<number> {
  for (const ref of await session.targets()) {
    await session.client.ask(pathOf(ref, "control"), { method: "PATCH", body: { paused: null } });
    session.terminal.out(`${nameOf(ref)} resumed\n`);
  }
  return 0;
}

export async function reconcile(session: Session): Promise<number> {
  for (const ref of await session.targets()) {
    const answer = await session.client.ask(pathOf(ref, "reconcile"), { method: "POST", body: {} });
    session.terminal.out(`${nameOf(ref)}: ${textAt(answer, "message")}\n`);
  }
  return 0;
}
