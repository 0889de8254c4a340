import { type QueryClient, type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import type {
  ApiObject,
  BindingEntry,
  BulkAnswer,
  BulkRequest,
  ControlPatch,
  KindPauseRequest,
  MadeTokenAnswer,
  PlanAnswer,
  ReconcileAnswer,
  Role,
  RoleEntry,
  ServiceAccountEntry,
  TokenEntry,
  TokenRequest,
  UserEntry,
} from "@/lib/api/contract";
import type { Control, JsonObject } from "@/lib/resource";
import { queryKeys } from "./keys";
import { collectionPath, type ObjectRef, objectPath } from "./paths";
import { request } from "./request";

/** What a person writes: an object without what the server computes. */
export interface Draft {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    resourceVersion?: string;
  };
  spec: JsonObject;
  control?: Partial<Control>;
}

/** Under this name the form owns what was changed in it. */
export const FORM_MANAGER = "setpoint-form";

export interface SaveOptions {
  /** Why it was changed, kept with the revision. */
  message?: string;
  /** Validate and admit, store nothing. */
  dryRun?: boolean;
  /** Apply only: take over what others own. */
  force?: boolean;
}

function saveQuery({ message, dryRun, force }: SaveOptions): string {
  const search = new URLSearchParams({ fieldManager: FORM_MANAGER });
  if (force) search.set("force", "true");
  if (message) search.set("message", message);
  if (dryRun) search.set("dryRun", "All");
  return `?${search}`;
}

/** Creates an object; AlreadyExists when the name is taken. */
export function createObject(ref: ObjectRef, draft: Draft, options: SaveOptions = {}): Promise<ApiObject> {
  return request(`${collectionPath(ref.plural, ref.namespace)}${saveQuery(options)}`, { method: "POST", body: draft });
}

/** Replaces an object's intent. The draft's resourceVersion decides: a stale one is refused with Conflict. */
export function updateObject(ref: ObjectRef, draft: Draft, options: SaveOptions = {}): Promise<ApiObject> {
  return request(`${objectPath(ref)}${saveQuery(options)}`, { method: "PUT", body: draft });
}

/**
 * States some fields of an object, which the form then owns; everything else stays as it is. Conflict when another owns one of them and
 * would be changed, and for a stale resourceVersion.
 */
export function applyObject(ref: ObjectRef, statement: JsonObject, options: SaveOptions = {}): Promise<ApiObject> {
  return request(`${objectPath(ref)}${saveQuery(options)}`, {
    method: "PATCH",
    body: statement,
    contentType: "application/apply-patch+yaml",
  });
}

/** What a candidate would change, planned against reality; nothing is written. */
export function previewPlan(ref: ObjectRef, draft: Draft, signal?: AbortSignal): Promise<PlanAnswer> {
  return request(objectPath(ref, "plan"), { method: "POST", body: draft, signal });
}

export function patchControl(ref: ObjectRef, patch: ControlPatch): Promise<ApiObject> {
  return request(objectPath(ref, "control"), { method: "PATCH", body: patch });
}

export function reconcileNow(ref: ObjectRef): Promise<ReconcileAnswer> {
  return request(objectPath(ref, "reconcile"), { method: "POST", body: {} });
}

export function deleteObject(ref: ObjectRef): Promise<unknown> {
  return request(objectPath(ref), { method: "DELETE" });
}

export function bulk(body: BulkRequest): Promise<BulkAnswer> {
  return request("/api/console/bulk", { method: "POST", body });
}

const kindPausePath = (kind: string) => `/api/console/controllers/${encodeURIComponent(kind)}/pause`;

export interface NewUser {
  email: string;
  name: string;
  role: Role;
  groups?: string[];
  password: string;
}

export interface UserPatch {
  role?: Role;
  groups?: string[];
  disabled?: boolean;
  password?: string;
}

export interface FirstAdministrator {
  token: string;
  email: string;
  name: string;
  password: string;
}

/** Creates the first administrator with the one-time token that the start printed. */
export function setUp(body: FirstAdministrator): Promise<unknown> {
  return request("/api/console/setup", { method: "POST", body });
}

/** A write whose success outdates `keys`; failures leave the cache alone. */
function useWrite<Input, Answer>(write: (input: Input) => Promise<Answer>, keys: (input: Input) => QueryKey[]) {
  const client = useQueryClient();
  return useMutation({ mutationFn: write, onSuccess: (_answer, input) => invalidate(client, keys(input)) });
}

/** Resolves at once: a page must not wait for refetches before it says that the write succeeded. */
function invalidate(client: QueryClient, keys: QueryKey[]): void {
  for (const queryKey of keys) void client.invalidateQueries({ queryKey });
}

const ofObject = (ref: ObjectRef): QueryKey[] => [queryKeys.about(ref), queryKeys.resources(), queryKeys.overview()];

export const useCreate = (ref: Pick<ObjectRef, "plural">) =>
  useWrite(
    ({ draft, ...options }: { draft: Draft } & SaveOptions) =>
      createObject({ ...ref, namespace: draft.metadata.namespace ?? "default", name: draft.metadata.name }, draft, options),
    () => [queryKeys.resources(), queryKeys.overview()],
  );
export const useUpdate = (ref: ObjectRef) =>
  useWrite(
    ({ draft, ...options }: { draft: Draft } & SaveOptions) => updateObject(ref, draft, options),
    () => ofObject(ref),
  );
export const useControl = (ref: ObjectRef) =>
  useWrite(
    (patch: ControlPatch) => patchControl(ref, patch),
    () => ofObject(ref),
  );
export const useReconcile = (ref: ObjectRef) =>
  useWrite(
    () => reconcileNow(ref),
    () => ofObject(ref),
  );
export const useDelete = (ref: ObjectRef) =>
  useWrite(
    () => deleteObject(ref),
    () => ofObject(ref),
  );
export const useBulk = () => useWrite(bulk, () => [["object"], queryKeys.resources(), queryKeys.overview()]);

/** Pauses every object of a kind, or with `null` ends that pause. */
export const useKindPause = (kind: string) =>
  useWrite(
    (body: KindPauseRequest | null) =>
      body === null
        ? request<unknown>(kindPausePath(kind), { method: "DELETE" })
        : request<unknown>(kindPausePath(kind), { method: "PUT", body }),
    () => [queryKeys.controllers(), ["object"], queryKeys.resources(), queryKeys.overview()],
  );

export const useCreateUser = () =>
  useWrite(
    (body: NewUser) => request<UserEntry>("/api/console/users", { method: "POST", body }),
    () => [queryKeys.users()],
  );
export const useChangeUser = () =>
  useWrite(
    ({ id, ...body }: UserPatch & { id: string }) =>
      request<UserEntry>(`/api/console/users/${encodeURIComponent(id)}`, { method: "PATCH", body, contentType: "application/json" }),
    () => [queryKeys.users()],
  );

export const useCreateToken = () =>
  useWrite(
    (body: TokenRequest) => request<MadeTokenAnswer>("/api/console/tokens", { method: "POST", body }),
    () => [queryKeys.tokens(), queryKeys.serviceAccounts()],
  );
/** It counts for nothing from then on. */
export const useRevokeToken = () =>
  useWrite(
    ({ id }: Pick<TokenEntry, "id">) => request<unknown>(`/api/console/tokens/${encodeURIComponent(id)}`, { method: "DELETE" }),
    () => [queryKeys.tokens(), queryKeys.serviceAccounts()],
  );

type ServiceAccountName = Pick<ServiceAccountEntry, "namespace" | "name">;
export const useCreateServiceAccount = () =>
  useWrite(
    (body: ServiceAccountName) => request<ServiceAccountEntry>("/api/console/serviceaccounts", { method: "POST", body }),
    () => [queryKeys.serviceAccounts()],
  );
/** With its tokens and bindings. */
export const useDeleteServiceAccount = () =>
  useWrite(
    ({ namespace, name }: ServiceAccountName) =>
      request<unknown>(`/api/console/serviceaccounts/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`, { method: "DELETE" }),
    () => [queryKeys.serviceAccounts(), queryKeys.bindings()],
  );

export const useCreateRole = () =>
  useWrite(
    (body: Omit<RoleEntry, "builtIn">) => request<RoleEntry>("/api/console/roles", { method: "POST", body }),
    () => [queryKeys.roles()],
  );
/** Refused while it is bound. */
export const useDeleteRole = () =>
  useWrite(
    ({ name }: Pick<RoleEntry, "name">) => request<unknown>(`/api/console/roles/${encodeURIComponent(name)}`, { method: "DELETE" }),
    () => [queryKeys.roles()],
  );

export const useCreateBinding = () =>
  useWrite(
    (body: Pick<BindingEntry, "role" | "namespace" | "subject">) =>
      request<BindingEntry>("/api/console/bindings", { method: "POST", body }),
    () => [queryKeys.bindings()],
  );
export const useDeleteBinding = () =>
  useWrite(
    ({ id }: Pick<BindingEntry, "id">) => request<unknown>(`/api/console/bindings/${encodeURIComponent(id)}`, { method: "DELETE" }),
    () => [queryKeys.bindings()],
  );
