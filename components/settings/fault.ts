import type { ApiError } from "@/lib/client";

/** What the server says about one field of a form. */
export function faultOf(error: ApiError | undefined, field: string): string | undefined {
  return error?.causes.find((cause) => cause.field === field || cause.field.endsWith(`.${field}`))?.message;
}
