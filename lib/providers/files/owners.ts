/** Names of users and groups of this host, from /etc/passwd and /etc/group. */
import { readFile } from "node:fs/promises";
import { SetpointError } from "@/lib/errors";
import { errnoOf, fileFault } from "./faults";

export interface OwnerIds {
  uid: number;
  /** Absent: the group is not managed. */
  gid?: number;
}

/** Name to id, and back, of one of the two databases. */
async function entries(file: "/etc/passwd" | "/etc/group"): Promise<{ name: string; id: number }[]> {
  const text = await readFile(file, "utf8").catch((thrown: unknown) => {
    if (errnoOf(thrown) === "ENOENT") return "";
    throw fileFault(thrown, `read ${file}`);
  });
  return text.split("\n").flatMap((line) => {
    const [name, , id] = line.split(":");
    return name && id && /^\d+$/.test(id) ? [{ name, id: Number(id) }] : [];
  });
}

async function idOf(word: string, what: "user" | "group"): Promise<number> {
  if (/^\d+$/.test(word)) return Number(word);
  const found = (await entries(what === "user" ? "/etc/passwd" : "/etc/group")).find(({ name }) => name === word);
  if (found) return found.id;
  throw new SetpointError("Rejected", `this host has no ${what} named ${word}; create it, or give a number`);
}

/** `user` or `user:group`, names or numbers, as ids. Rejected when the host does not know a name. */
export async function resolveOwner(owner: string): Promise<OwnerIds> {
  const [user = "", group] = owner.split(":");
  const uid = await idOf(user, "user");
  return group === undefined ? { uid } : { uid, gid: await idOf(group, "group") };
}

/** The ids in the form of `like`: numbers where it has numbers, the group only where it has one. */
export async function spellOwner(like: string, uid: number, gid: number): Promise<string> {
  const [user = "", group] = like.split(":");
  const spell = async (word: string, id: number, file: "/etc/passwd" | "/etc/group") => {
    if (/^\d+$/.test(word)) return String(id);
    const named = (await entries(file)).filter((entry) => entry.id === id);
    // Several names can share an id; the one asked for wins.
    return (named.find(({ name }) => name === word) ?? named[0])?.name ?? String(id);
  };
  const first = await spell(user, uid, "/etc/passwd");
  return group === undefined ? first : `${first}:${await spell(group, gid, "/etc/group")}`;
}
