import type { Difference } from "@/lib/resource";
import { groupFields } from "./difference";
import { FieldTable, type SideNames } from "./field-table";

const OLD_AND_NEW: SideNames = { desired: "New", actual: "Old" };

/** What changed between two versions of intent, field by field. */
export function DifferenceList({
  diff,
  caption,
  names = OLD_AND_NEW,
}: {
  diff: readonly Difference[];
  caption: string;
  names?: SideNames;
}) {
  if (diff.length === 0) return <p className="text-muted">No field differs.</p>;
  const groups = groupFields(
    diff.map((difference) => ({ ...difference, same: false })),
    false,
  );
  return <FieldTable groups={groups} names={names} caption={caption} actualFirst />;
}
