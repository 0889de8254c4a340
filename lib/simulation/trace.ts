import { hashText } from "./random";

/** How many of the last lines are kept for a story. */
const KEPT = 4_000;

/** What happened, line by line. The hash is over all lines: two runs of one seed have the same. */
export class Trace {
  private readonly kept: string[] = [];
  private first = 0;
  private second = 0;
  lines = 0;

  add(line: string): void {
    this.lines += 1;
    this.first = hashText(line, this.first);
    this.second = hashText(line, this.second ^ this.first);
    this.kept.push(line);
    if (this.kept.length > 2 * KEPT) this.kept.splice(0, KEPT);
  }

  get hash(): string {
    return hex(this.first) + hex(this.second);
  }

  /** The last lines, oldest first. */
  last(count: number, wanted: (line: string) => boolean = () => true): string[] {
    return this.kept.filter(wanted).slice(-count);
  }
}

export function hex(number: number): string {
  return (number >>> 0).toString(16).padStart(8, "0");
}
