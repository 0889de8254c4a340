/** Durations as kubectl prints them: two units while the first is small, then one. */

const UNITS = [
  { letter: "y", seconds: 31_536_000, whole: 8, next: { letter: "d", seconds: 86_400 } },
  { letter: "d", seconds: 86_400, whole: 8, next: { letter: "h", seconds: 3_600 } },
  { letter: "h", seconds: 3_600, whole: 8, next: { letter: "m", seconds: 60 } },
  { letter: "m", seconds: 60, whole: 10, next: { letter: "s", seconds: 1 } },
];
/** Fewer than two of a unit are shown in the next smaller one (`90s`, `47h`); minutes go on up to three hours. */
const FEWEST: Record<string, number> = { y: 2, d: 2, h: 3, m: 2 };

/** E.g. `90s`, `5m10s`, `3h20m`, `47h`, `6d4h`. Never negative. */
export function shortDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  for (const { letter, seconds: size, whole, next } of UNITS) {
    const count = Math.floor(seconds / size);
    if (count < (FEWEST[letter] ?? 2)) continue;
    const rest = Math.floor((seconds % size) / next.seconds);
    return count < whole && rest > 0 ? `${count}${letter}${rest}${next.letter}` : `${count}${letter}`;
  }
  return `${seconds}s`;
}
