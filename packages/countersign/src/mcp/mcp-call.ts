import type { QuestioningCall } from "../ways/questions/questioning-call.js";
import type { Connections } from "./connection.js";
import type { CheckedServer } from "./server-options.js";

/** One call of a server's tool in a guarded run. */
export interface McpCall {
  /** What the run knows of it. */
  call: QuestioningCall;
  server: CheckedServer;
  connections: Connections;
  /** The server's own name of the tool. */
  tool: string;
  argumentsJson: string;
}
