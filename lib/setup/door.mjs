// What Next answers with 500 although the client is at fault: refused before it gets there.
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/**
 * Wraps a request handler: paths that are no valid percent-encoding are 400, methods that nothing here serves are 405.
 * @param {(request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse) => unknown} handle
 */
export function withDoor(handle) {
  return (request, response) => {
    if (!METHODS.includes(request.method)) {
      return refuse(response, 405, "MethodNotAllowed", "the server does not allow this method", { allow: METHODS.join(", ") });
    }
    if (!decodes(request.url ?? "/")) return refuse(response, 400, "BadRequest", "the path is not valid percent-encoding");
    return handle(request, response);
  };
}

function decodes(url) {
  try {
    decodeURIComponent(url.split("?", 1)[0]);
    return true;
  } catch {
    return false;
  }
}

function refuse(response, code, reason, message, headers = {}) {
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code };
  response.writeHead(code, { "content-type": "application/json", "cache-control": "no-cache, private", ...headers });
  response.end(JSON.stringify(status));
}
