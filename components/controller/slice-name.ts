/** A slice in words: `*` is everything that is bound to no machine. */
export function sliceName(slice: string): string {
  return slice === "*" ? "resources bound to no host" : slice.startsWith("host/") ? `host ${slice.slice("host/".length)}` : slice;
}
