import type { questioningCall } from "countersign/internal";
import type { Connections } from "./connection.js";
import type { CheckedServer } from "./server-options.js";

/** What the run knows of a call. */
export type QuestioningCall = Awaited<ReturnType<typeof questioningCall>>;

/** The questions of one round, and the request under which people answer them. */
export type AskedRound = Awaited<ReturnType<QuestioningCall["ask"]>>;

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
