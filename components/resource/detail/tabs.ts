import { parseAsArrayOf, parseAsInteger, parseAsStringLiteral } from "nuqs/server";
import { TIMELINE_TYPES } from "../timeline";

export const DETAIL_TABS = ["state", "plan", "conditions", "timeline", "history", "yaml"] as const;
export type DetailTab = (typeof DETAIL_TABS)[number];

/** Everything of the detail page that is worth a link. */
export const detailParsers = {
  tab: parseAsStringLiteral(DETAIL_TABS).withDefault("state"),
  /** State: what is shown; unset means all. */
  fields: parseAsStringLiteral(["all", "differences"] as const).withDefault("all"),
  /** Timeline: the types shown; unset means all. */
  show: parseAsArrayOf(parseAsStringLiteral(TIMELINE_TYPES)).withDefault([]),
  /** History: the two generations compared. */
  from: parseAsInteger,
  to: parseAsInteger,
};
