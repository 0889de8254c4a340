/** setpoint diff -f: what apply would change, as the server says. 0: nothing, 1: something. */
import { createTwoFilesPatch } from "diff";
import { stringify } from "yaml";
import { deepEqual } from "@/lib/resource";
import { NO } from "../failure";
import { manifestsOf } from "../manifests";
import { declared, type Item } from "../objects";
import { nameOf, type Session } from "../session";
import { applyOne } from "./apply";

export async function diff(session: Session): Promise<number> {
  let differs = false;
  for (const manifest of await manifestsOf(session)) {
    const { ref, before, after } = await applyOne(session, manifest, true);
    if (before && deepEqual(declared(before), declared(after))) continue;
    differs = true;
    const name = `${ref.namespace}/${nameOf(ref)}`;
    session.terminal.out(createTwoFilesPatch(before ? name : "/dev/null", name, text(before), text(after), "stored", "declared"));
  }
  return differs ? NO : 0;
}

const text = (item: Item | undefined) => (item ? stringify(declared(item), { lineWidth: 0, sortMapEntries: true }) : "");
