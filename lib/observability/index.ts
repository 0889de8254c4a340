/** Structured logs, one JSON object a line on standard output. Secrets never get here: errors quote path and type only. */
import pino from "pino";

export interface Logger {
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** Names of fields that are blanked wherever they appear, in case something is ever logged that should not be. */
const REDACTED = ["password", "token", "authorization", "cookie", "secret"].flatMap((name) => [name, `*.${name}`]);

export function createLogger(name: string): Logger {
  const logger = pino({ name, redact: REDACTED, base: { pid: process.pid } });
  return {
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    error: (message, fields = {}) => logger.error(fields, message),
  };
}
