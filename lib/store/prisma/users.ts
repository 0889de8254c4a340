/** Accounts and sessions, by Prisma. */
import { type Clock, toIso } from "@/lib/clock";
import { SetpointError } from "@/lib/errors";
import { Prisma, type PrismaClient, type User } from "@/prisma/generated/client";
import type { AuditEntry } from "..";
import type { Account, AccountChange, NewAccount, UserStore } from "../users";
import { isUnavailable } from "./pool";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Taken by whoever changes who is administrator, so that two changes cannot each leave the other as the last one. */
const ACCOUNTS_LOCK = 7270736903n;
const UNREACHABLE = new Set(["P1001", "P1002", "P1008", "P1011", "P1017", "P2024", "P2028"]);

type Transaction = Prisma.TransactionClient;

export function userStore(prisma: PrismaClient, clock: Clock): UserStore {
  const nowIso = () => toIso(clock.now());
  return {
    any: () => guarded(async () => (await prisma.user.count({ take: 1 })) > 0),
    list: () => guarded(async () => (await prisma.user.findMany({ orderBy: { createdAt: "asc" } })).map(toAccount)),
    findByEmail: (email) =>
      guarded(async () => {
        const user = await prisma.user.findUnique({ where: { email } });
        return user ? { account: toAccount(user), passwordHash: user.passwordHash } : undefined;
      }),
    create: (account, audit) => guarded(() => prisma.$transaction((tx) => insert(tx, account, audit, nowIso()))),
    createFirst: (account, audit) =>
      guarded(() =>
        prisma.$transaction(async (tx) => {
          await lock(tx);
          return (await tx.user.count()) > 0 ? undefined : insert(tx, account, audit, nowIso());
        }),
      ),
    change: (id, change, audit) => guarded(() => prisma.$transaction((tx) => applyChange(tx, id, change, audit, nowIso()))),
    openSession: (userId, expiresAt, audit) =>
      guarded(() =>
        prisma.$transaction(async (tx) => {
          await tx.session.deleteMany({ where: { userId, expiresAt: { lt: nowIso() } } });
          await insertAudit(tx, audit, userId, nowIso());
          return (await tx.session.create({ data: { userId, expiresAt: toIso(expiresAt) } })).id;
        }),
      ),
    session: (id) =>
      guarded(async () => {
        if (!UUID.test(id)) return undefined;
        const found = await prisma.session.findUnique({ where: { id }, include: { user: true } });
        if (!found || found.expiresAt.getTime() <= clock.now() || found.user.disabledAt !== null) return undefined;
        return toAccount(found.user);
      }),
    closeSession: (id) =>
      guarded(async () => {
        if (UUID.test(id)) await prisma.$transaction((tx) => signOut(tx, id, nowIso()));
      }),
  };
}

async function lock(tx: Transaction): Promise<void> {
  await tx.$executeRaw`select pg_advisory_xact_lock(${ACCOUNTS_LOCK})`;
}

async function insert(tx: Transaction, account: NewAccount, audit: AuditEntry, nowIso: string): Promise<Account> {
  const user = await tx.user.create({ data: account });
  await insertAudit(tx, audit, user.id, nowIso);
  return toAccount(user);
}

async function applyChange(tx: Transaction, id: string, change: AccountChange, audit: AuditEntry, nowIso: string): Promise<Account> {
  await lock(tx);
  const before = UUID.test(id) ? await tx.user.findUnique({ where: { id } }) : null;
  if (!before) throw new SetpointError("NotFound", `user "${id.slice(0, 64)}" not found`);
  const disabled = change.disabled ?? before.disabledAt !== null;
  const role = change.role ?? before.role;
  const wasAdministrator = before.role === "administrator" && before.disabledAt === null;
  if (wasAdministrator && (disabled || role !== "administrator")) {
    const others = await tx.user.count({ where: { role: "administrator", disabledAt: null, id: { not: id } } });
    if (others === 0)
      throw new SetpointError("Conflict", `${before.email} is the last administrator: make another account administrator first`);
  }
  const user = await tx.user.update({
    where: { id },
    data: {
      role,
      ...(change.groups === undefined ? {} : { groups: change.groups }),
      ...(change.passwordHash === undefined ? {} : { passwordHash: change.passwordHash }),
      ...(change.disabled === undefined ? {} : { disabledAt: disabled ? (before.disabledAt ?? nowIso) : null }),
    },
  });
  if (disabled || change.passwordHash !== undefined) await tx.session.deleteMany({ where: { userId: id } });
  await insertAudit(tx, audit, id, nowIso);
  return toAccount(user);
}

async function signOut(tx: Transaction, id: string, nowIso: string): Promise<void> {
  const found = await tx.session.findUnique({ where: { id }, include: { user: true } });
  if (!found) return;
  await tx.session.deleteMany({ where: { id } });
  const { email } = found.user;
  await insertAudit(
    tx,
    { actor: email, verb: "sign-out", kind: "User", namespace: "", name: email, outcome: "done" },
    found.userId,
    nowIso,
  );
}

async function insertAudit(
  tx: Transaction,
  { generation: _none, detail, ...entry }: AuditEntry,
  uid: string,
  nowIso: string,
): Promise<void> {
  await tx.audit.create({ data: { ...entry, uid, detail: detail ?? {}, finishedAt: nowIso } });
}

function toAccount(user: User): Account {
  const { id, email, name, groups } = user;
  return {
    id,
    email,
    name,
    role: roleOf(user.role),
    groups,
    disabled: user.disabledAt !== null,
    createdAt: toIso(user.createdAt.getTime()),
  };
}

/** A word that is no role gives none. */
export function roleOf(stored: string): Account["role"] {
  return stored === "administrator" || stored === "operator" || stored === "viewer" ? stored : "none";
}

/** Rethrows what Prisma threw as an error of the catalogue. */
async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2002")
      throw new SetpointError("AlreadyExists", "an account with this e-mail address already exists", { cause: error });
    if (unreachable(error))
      throw new SetpointError("ServiceUnavailable", "The store cannot be reached right now.", { cause: error, retryAfterSeconds: 1 });
    throw error;
  }
}

function unreachable(error: unknown): boolean {
  if (error instanceof Prisma.PrismaClientInitializationError) return true;
  if (error instanceof Prisma.PrismaClientKnownRequestError && UNREACHABLE.has(error.code)) return true;
  return isUnavailable(error) || (error instanceof Error && error.cause !== undefined && isUnavailable(error.cause));
}
