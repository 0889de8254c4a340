import type { Claim } from "@/lib/controller";
import type { JsonObject, Key } from "@/lib/resource";
import { BOUND, LOOSE, STRICT } from "./kinds";
import { Random } from "./random";

/** Machines of the wide world. With few workers one of them has none now and then. */
const HOSTS = ["host-a", "host-b"];
const TENANT = "tenant";
const PLACES = ["p0", "p1"];
/** Part of the seeds that have it. */
const SHARE = 0.5;

/**
 * Some seeds have a wider world: a second tenant who claims the same places outside, an older version that kept no claims, and things that
 * are bound to machines. It draws from streams of its own, so that a seed without it is what it always was.
 */
export class Wide {
  readonly keys: Key[] = [
    { kind: LOOSE, namespace: TENANT, name: "theirs0" },
    { kind: STRICT, namespace: TENANT, name: "theirs1" },
    ...HOSTS.map((_, index) => ({ kind: BOUND, namespace: "default", name: `bound${index}` })),
  ];
  private readonly random: Random;

  private constructor(seed: string) {
    this.random = new Random(`${seed}/wide`);
  }

  static of(seed: string): Wide | undefined {
    return new Random(`${seed}/world`).chance(SHARE) ? new Wide(seed) : undefined;
  }

  /** The machine of a new worker. */
  host(): string {
    return this.random.pick(HOSTS) ?? "";
  }

  /** What a spec has here besides. The machine of an object never changes. */
  extended({ kind, namespace, name }: Key, spec: JsonObject): JsonObject {
    if (kind === BOUND) return { ...spec, host: HOSTS[Number(name.slice(-1))] ?? "" };
    // Nothing of a tenant's own names anything of another.
    const { after, ...rest } = spec;
    const own: JsonObject = namespace === TENANT || after === undefined ? rest : { ...rest, after };
    return this.random.chance(0.5) ? { ...own, place: this.random.pick(PLACES) ?? "" } : own;
  }

  /** Whether this write is done by a version that keeps no claims. */
  isOlderVersion(): boolean {
    return this.random.chance(0.4);
  }

  /** Whether all claims are kept from now on: the older version ends. */
  upgrades(): boolean {
    return this.random.chance(0.1);
  }
}

export function claimsOf({ place }: JsonObject): Claim[] {
  return typeof place === "string" ? [{ text: `place:${place}`, field: "spec.place" }] : [];
}

/** Where an object with that spec belongs. */
export function sliceOf({ host }: JsonObject): string {
  return typeof host === "string" ? `host/${host}` : "*";
}
