import type { Connections, Lease } from "./connection.js";
import type { ServerAnswer } from "./exchange.js";
import { holdCall } from "./held-calls.js";
import { answerOf, answerOfError, paramsOf, type ToolRequest } from "./server-answer.js";
import type { CheckedServer } from "./server-options.js";

/** Sends a request. Returns the server's answer, or a failure with a text for the model. Never throws. */
export async function callServer(
  server: CheckedServer,
  connections: Connections,
  request: ToolRequest,
): Promise<ServerAnswer> {
  let lease: Lease;
  try {
    lease = await connections.lease();
  } catch {
    // The error may hold addresses and headers.
    return { kind: "unreachable" };
  }
  if (lease.pushes && !request.inputResponses) return holdCall(server, lease, request);
  try {
    const result: unknown = await lease.client.callTool(paramsOf(request), {
      timeout: server.requestMs,
      allowInputRequired: true,
    });
    await lease.release();
    return answerOf(server, result);
  } catch (error) {
    await lease.release({ broken: true });
    return answerOfError(server, error);
  }
}
