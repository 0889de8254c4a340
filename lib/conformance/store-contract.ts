/** What every store must keep, whatever it is made of. One suite, run on each adapter, so that a simulated store is an honest one. */
import { afterAll, beforeAll, describe } from "vitest";
import type { Pause } from "@/lib/resource";
import type { AuditEntry, ChangeSignal, EngineStore, HistoryStore, ResourceStore } from "@/lib/store";
import { engineContract } from "./store-engine";
import { leaseContract } from "./store-leases";
import { resourceContract } from "./store-resources";

export interface StorePorts {
  resources: ResourceStore;
  history: HistoryStore;
  engine: EngineStore;
}

export interface StoreUnderTest extends StorePorts {
  signal: ChangeSignal;
  /** Audit rows of an object, oldest first. */
  audit(uid: string): Promise<Pick<AuditEntry, "actor" | "verb" | "outcome" | "error" | "generation">[]>;
  pauseKind(kind: string, pause: Pause | undefined): Promise<void>;
  /** All changes there are now have been in the feed for longer than it keeps them. */
  ageChanges(): Promise<void>;
  /**
   * Runs `work` over connections that break once, at its commit: `before` the store has it, or `after`, so that only the answer is lost.
   */
  breaking<T>(when: "before" | "after", work: (ports: StorePorts) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export function describeStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`a store on ${name}`, () => {
    let opened: StoreUnderTest | undefined;
    beforeAll(async () => {
      opened = await open();
    }, 120_000);
    afterAll(async () => opened?.close());
    const store = () => {
      if (!opened) throw new Error("the store was not opened");
      return opened;
    };
    resourceContract(store);
    leaseContract(store);
    engineContract(store);
  });
}
