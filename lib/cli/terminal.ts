/** What a command is given of the process it runs in. */
export interface Terminal {
  env: Record<string, string | undefined>;
  out(text: string): void;
  err(text: string): void;
  stdin(): Promise<string>;
}
