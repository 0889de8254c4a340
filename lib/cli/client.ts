/** Requests to the public API, and nothing else. */
import http from "node:http";
import https from "node:https";
import type { Connection } from "./config";
import { Failure, Refused } from "./failure";

const TIMEOUT_MS = 60_000;

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface Sent {
  method?: Method;
  body?: unknown;
  contentType?: string;
  accept?: string;
}

interface Answer {
  status: number;
  text: string;
  json: boolean;
}

export class Client {
  constructor(readonly connection: Connection) {}

  /** The answer's JSON. Throws Refused for everything that is not a success, Failure when there is no answer. */
  async ask(path: string, sent: Sent = {}): Promise<unknown> {
    const { status, text, json } = await this.send(path, sent);
    const body = json ? parsed(text, path) : text;
    if (status >= 200 && status < 300) {
      if (json) return body;
      throw new Failure(`${this.connection.server.origin} answered ${path} with something else than JSON: is it a Setpoint server?`);
    }
    if (status === 401 && this.connection.token === undefined)
      throw new Failure("You are not known: give a token with --token or SETPOINT_TOKEN (Settings, API tokens).");
    throw new Refused(status, body);
  }

  /** As `ask`; undefined where there is nothing. */
  async find(path: string, sent: Sent = {}): Promise<unknown> {
    try {
      return await this.ask(path, sent);
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return undefined;
      throw error;
    }
  }

  private send(
    path: string,
    { method = "GET", body, contentType = "application/json", accept = "application/json" }: Sent,
  ): Promise<Answer> {
    const { server, token, ca } = this.connection;
    const url = new URL(`${server.pathname.replace(/\/$/, "")}${path}`, server);
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      accept,
      "user-agent": "setpoint-cli",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(payload === undefined ? {} : { "content-type": contentType, "content-length": String(Buffer.byteLength(payload)) }),
    };
    return new Promise((resolve, reject) => {
      const options = { method, headers, timeout: TIMEOUT_MS };
      const take = (response: http.IncomingMessage) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", (error) => reject(unreachable(server, error)));
        response.on("end", () => {
          const json = (response.headers["content-type"] ?? "").includes("json");
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8"), json });
        });
      };
      // A redirect is not followed: the token is for this server alone.
      const request = url.protocol === "https:" ? https.request(url, { ...options, ca }, take) : http.request(url, options, take);
      request.on("timeout", () => request.destroy(new Error(`no answer within ${TIMEOUT_MS / 1_000} s`)));
      request.on("error", (error) => reject(unreachable(server, error)));
      request.end(payload);
    });
  }
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure(`the answer to ${path} is not JSON`);
  }
}

const CERTIFICATE = new Set([
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
]);

function unreachable(server: URL, error: Error): Failure {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const advice = CERTIFICATE.has(code) ? "; name its certificate authority with --ca or SETPOINT_CA" : "";
  return new Failure(`${server.origin} cannot be reached: ${error.message || code}${advice}`);
}
