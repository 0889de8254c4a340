/** The mark of ownership: two variables in the environment of every process started here. */

export const INSTANCE_MARK = "SETPOINT_INSTANCE";
export const TEMPLATE_MARK = "SETPOINT_TEMPLATE";

export interface Mark {
  installation: string;
  uid: string;
  ordinal: number;
}

export function markText({ installation, uid, ordinal }: Mark): string {
  return `${installation}/${uid}/${ordinal}`;
}

/** Parsed from the right: an installation's id may hold slashes, a uid and an ordinal do not. */
export function parseMark(text: string): Mark | undefined {
  const match = /^(.+)\/([^/]+)\/(0|[1-9]\d{0,8})$/.exec(text);
  return match ? { installation: match[1] ?? "", uid: match[2] ?? "", ordinal: Number(match[3]) } : undefined;
}

const NEEDLE = Buffer.from(`${INSTANCE_MARK}=`);

/** What a process's environment says about it; undefined when it carries no mark. The first of doubled variables counts, as in libc. */
export function readMarks(environ: Buffer): { mark: Mark; template: string | null; port: number | null } | undefined {
  // Nearly every process has no mark: this look costs nothing, parsing all would.
  if (!environ.includes(NEEDLE)) return undefined;
  const value = (name: string) => {
    const entry = entries.find((candidate) => candidate.startsWith(`${name}=`));
    return entry?.slice(name.length + 1);
  };
  const entries = environ.toString("utf8").split("\0");
  const mark = parseMark(value(INSTANCE_MARK) ?? "");
  const port = value("PORT");
  return mark && { mark, template: value(TEMPLATE_MARK) ?? null, port: port !== undefined && /^\d{1,5}$/.test(port) ? Number(port) : null };
}
