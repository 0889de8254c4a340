/** Whose a role is, kept as the comment on it. */
export interface Mark {
  installation: string;
  uid: string;
  /** namespace/name, for people. */
  name: string;
  /** What the password was last set to, not reversible; only where verifiers cannot be read. */
  password?: string;
}

const PREFIX = "setpoint:";

export function formatMark({ installation, uid, name, password }: Mark): string {
  return `${PREFIX}${JSON.stringify({ installation, uid, name, ...(password === undefined ? {} : { password }) })}`;
}

/** Undefined when the comment is not a mark. Anybody may have written it, so nothing is taken for granted. */
export function parseMark(comment: string | null | undefined): Mark | undefined {
  if (!comment?.startsWith(PREFIX)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(comment.slice(PREFIX.length));
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const field = (key: string) => Object.entries(value).find(([name]) => name === key)?.[1];
  const [installation, uid, name, password] = ["installation", "uid", "name", "password"].map(field);
  if (typeof installation !== "string" || typeof uid !== "string" || typeof name !== "string") return undefined;
  return { installation, uid, name, ...(typeof password === "string" ? { password } : {}) };
}
