import { type ClassValue, clsx } from "clsx";
import { extendTailwindMerge } from "tailwind-merge";

const merge = extendTailwindMerge({ extend: { classGroups: { "font-size": [{ text: ["2xs"] }] } } });

/** Joins class names; where two set the same property the later one wins, so that callers can adjust a primitive. */
export function cn(...inputs: ClassValue[]): string {
  return merge(clsx(inputs));
}
