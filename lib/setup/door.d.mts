import type { IncomingMessage, ServerResponse } from "node:http";

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Refuses paths that are no valid percent-encoding (400) and methods that nothing serves (405) before `handle` sees them. */
export function withDoor(handle: Handler): Handler;
