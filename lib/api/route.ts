/** What a path is: where it points, and what may be done there. */
import { SetpointError } from "@/lib/errors";
import type { Verb } from "@/lib/policies/access";
import type { Address, Call } from "./call";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One method of one path. */
export interface Action {
  /**
   * What the access policy is asked about the address. `public`: anybody, the action itself checks. `identified`: anybody who is known,
   * and the action shows or does only what the access policy allows for each object.
   */
  verb: Verb | "public" | "identified";
  /** What can be asked for with `as=` in the Accept header; absent: the object itself only. `any`: the action chooses. */
  shapes?: readonly string[] | "any";
  run(call: Call): Promise<Response>;
}

export interface Route {
  address: Address;
  methods: Partial<Record<Method, Action>>;
  /** Why other methods are refused, where that is not obvious. */
  refusal?: string;
}

export function notHere(path: string): SetpointError {
  return new SetpointError("NotFound", `there is nothing at ${path.slice(0, 200)}`);
}
