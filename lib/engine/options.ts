import type { Clock } from "@/lib/clock";
import type { AnyController } from "@/lib/controller";
import type { ChangeSignal, EngineStore, HistoryStore, ResourceStore } from "@/lib/store";
import type { TargetLimits } from "./budget";
import type { CrashPoint, CrashSite } from "./crash-points";
import type { PassPorts } from "./pass";

/** What an engine is made of. */
export interface EngineOptions {
  store: EngineStore;
  resources: Pick<ResourceStore, "get" | "getByUid">;
  history: Pick<HistoryStore, "audit">;
  signal: ChangeSignal;
  clock: Clock;
  controllers: AnyController[];
  installation: string;
  /** Plaintext of one key of a Secret; throws DependencyNotReady. */
  secret(namespace: string, name: string, key: string): Promise<string>;
  worker: { id: string; host: string; pid: number; role: string; version: string };
  log(message: string): void;
  leaseTtlMs?: number;
  /** Runs for a bounded time: takes what is free, and no shards are moved for its sake. */
  guest?: boolean;
  /** Look at everything at once after the start, instead of spreading first looks. */
  eager?: boolean;
  /** Reports written in one transaction at most; 1,000 unless given. */
  largestBatch?: number;
  /** What each target account is asked to bear; the defaults unless given. */
  targetLimits?: Partial<TargetLimits>;
  crashPoint?(point: CrashPoint, site: CrashSite): void | Promise<void>;
}

/** What a pass and a preview of the API have in common. */
export function portsOf({ clock, installation, resources, secret, store, crashPoint }: EngineOptions): PassPorts {
  return {
    clock,
    installation,
    lookup: (namespace, kind, name) => resources.get({ kind, namespace, name }),
    secret,
    permit: (uid, generation, fence, action, deleting) => store.permit(uid, generation, fence, action, deleting),
    settle: (id, outcome, error) => store.settle(id, outcome, error),
    ...(crashPoint ? { crashPoint } : {}),
  };
}

/** What a bounded run did. */
export interface WorkDone {
  looks: number;
  corrected: number;
  converged: number;
  failed: number;
  /** Keys still ready or running when time was up. */
  remaining: number;
}
