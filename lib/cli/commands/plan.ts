/** setpoint plan: what would be done now, or for the objects of -f. Nothing is written. */
import { Failure } from "../failure";
import { pathOf, type Ref } from "../kinds";
import { manifestsOf } from "../manifests";
import { at, textAt } from "../objects";
import { formatOf } from "../options";
import { document } from "../output";
import { nameOf, type Session } from "../session";
import { refOf } from "./apply";

export async function plan(session: Session): Promise<number> {
  const { client, options, terminal } = session;
  const format = formatOf(options);
  if (format === "name") throw new Failure("a plan has no name: -o must be table, json or yaml");
  const answers: { ref: Ref; answer: unknown }[] = [];
  if (options.filename) {
    for (const manifest of await manifestsOf(session)) {
      const ref = await refOf(session, manifest);
      answers.push({ ref, answer: await client.ask(pathOf(ref, "plan"), { method: "POST", body: manifest.document }) });
    }
  } else for (const ref of await session.targets()) answers.push({ ref, answer: await client.ask(pathOf(ref, "plan")) });
  if (format === "table") for (const { ref, answer } of answers) terminal.out(planText(ref, answer));
  else terminal.out(document(answers.length === 1 ? answers[0]?.answer : answers.map(({ answer }) => answer), format));
  return 0;
}

function planText(ref: Ref, answer: unknown): string {
  const [actions, drift] = [listAt(answer, "actions"), listAt(answer, "drift")];
  const blocked = textAt(answer, "blocked.message");
  const lines = [
    ...drift.map(
      (difference) => `  drift   ${textAt(difference, "path")}: ${shown(difference, "actual")} -> ${shown(difference, "desired")}`,
    ),
    ...actions.map((action) => `  ${textAt(action, "effect").padEnd(6)}  ${textAt(action, "target")}: ${textAt(action, "message")}`),
    ...(blocked === "" ? [] : [`  blocked ${textAt(answer, "blocked.reason")}: ${blocked}`]),
  ];
  const sum = blocked !== "" ? "cannot be planned" : actions.length === 0 ? "nothing to do" : `${actions.length} to do`;
  return [`${ref.namespace}/${nameOf(ref)}: ${sum}`, ...lines, ""].join("\n");
}

function listAt(value: unknown, path: string): unknown[] {
  const found = at(value, path);
  return Array.isArray(found) ? found : [];
}

function shown(value: unknown, path: string): string {
  const found = at(value, path);
  return found === undefined ? "nothing" : JSON.stringify(found);
}
