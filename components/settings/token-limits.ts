import type { TokenLimits } from "@/lib/api/contract";

/** The limits of a token in the words of the form: what a field asks for, what is the most, and what a limit is called in a line. */
export const LIMITS = [
  {
    name: "requestsPerMinute",
    label: "Requests a minute",
    least: 1,
    most: 60_000,
    usual: 6_000,
    told: (n: number) => `${n} ${n === 1 ? "request" : "requests"} a minute`,
  },
  {
    name: "streams",
    label: "Open streams",
    least: 0,
    most: 100,
    usual: 100,
    told: (n: number) => `${n} ${n === 1 ? "stream" : "streams"}`,
  },
  {
    name: "bodyBytes",
    label: "Bytes of a body",
    least: 1_024,
    most: 1_048_576,
    usual: 1_048_576,
    told: (n: number) => `bodies of ${n} bytes`,
  },
  { name: "depth", label: "Levels of a body", least: 8, most: 64, usual: 64, told: (n: number) => `${n} levels deep` },
] as const;

/** What the form says; a field that is empty says nothing. */
export function limitsOf(text: (name: string) => string): TokenLimits {
  return Object.fromEntries(LIMITS.flatMap(({ name }) => (text(name).trim() === "" ? [] : [[name, Number(text(name))]])));
}

/** "at most 60 requests a minute, 1 stream"; empty where the token has the usual limits. */
export function limitsText(limits: TokenLimits): string {
  const told = LIMITS.flatMap(({ name, told }) => {
    const value = limits[name];
    return value === undefined ? [] : [told(value)];
  });
  return told.length === 0 ? "" : `at most ${told.join(", ")}`;
}
