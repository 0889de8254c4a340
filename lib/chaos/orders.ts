import { z } from "zod";
import { CRASH_POINTS } from "@/lib/engine";

const point = z.enum(CRASH_POINTS);

/** What a worker process is told at its start. Objects are named `<kind>/<name>@<generation>`. */
export const ordersSchema = z.strictObject({
  leaseTtlMs: z.number(),
  /** Ends itself with SIGKILL once all of these objects are at this point at once. */
  together: z.strictObject({ point, objects: z.array(z.string()) }).optional(),
  /** Ends itself with SIGKILL at the first point that is not listed, as `<point> <kind> <effect> <type>`. */
  unless: z.array(z.string()).optional(),
  /** Stops itself with SIGSTOP, once. */
  freezeAt: z.strictObject({ point, object: z.string() }).optional(),
});
export type Orders = z.infer<typeof ordersSchema>;

/** What a worker says when it passes a crash point. */
export const passedSchema = z.object({ point: z.string(), object: z.string(), action: z.string() });
export type Passed = z.infer<typeof passedSchema>;
