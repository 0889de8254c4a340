/** A rate in per cent that never rounds a failure away. */
export function shareOf(failed: number, passes: number): string {
  if (passes === 0 || failed === 0) return "0 %";
  const percent = (100 * failed) / passes;
  if (percent < 1) return "< 1 %";
  return percent > 99 && failed < passes ? "> 99 %" : `${Math.round(percent)} %`;
}
