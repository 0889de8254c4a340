/** Passwords: argon2id, and rules that a person can meet. */
import { hash, verify } from "@node-rs/argon2";
import { SetpointError } from "@/lib/errors";

export const SHORTEST_PASSWORD = 12;
const LONGEST_PASSWORD = 512;
/** OWASP's second recommendation for argon2id, the library's default algorithm: 19 MiB, two passes. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Undefined when it may be used, else the sentence that says why not. */
export function passwordFault(password: string, email: string): string | undefined {
  if (password.length < SHORTEST_PASSWORD) return `must have at least ${SHORTEST_PASSWORD} characters`;
  if (password.length > LONGEST_PASSWORD) return `must have at most ${LONGEST_PASSWORD} characters`;
  if (new Set(password).size < 4) return "must use at least four different characters";
  if (password.toLowerCase() === email.toLowerCase()) return "must not be the e-mail address";
  return undefined;
}

export async function hashPassword(password: string): Promise<string> {
  return hash(password, PARAMETERS);
}

let decoy: Promise<string> | undefined;

/** Checks a password. Without a hash it does the same work and says no, so that time does not tell which accounts exist. */
export async function verifyPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  decoy ??= hashPassword("nobody has this password");
  try {
    const matches = await verify(passwordHash ?? (await decoy), password);
    return matches && passwordHash !== undefined;
  } catch (cause) {
    throw new SetpointError("InternalError", "A stored password hash cannot be read.", { cause });
  }
}
