import type { InngestRun } from "../call/run/inngest-run.js";
import type { Runtime } from "../call/run/runtime.js";
import type { Subject } from "../call/run/subject.js";
import type { Connections } from "./connection.js";
import type { CheckedServer } from "./server-options.js";

/** One call of a server's tool in a guarded run. */
export interface McpCall {
  runtime: Runtime;
  run: InngestRun;
  subject: Subject;
  profile: string | undefined;
  /** The chain of agents that led to the call. */
  agentName: string | null;
  server: CheckedServer;
  connections: Connections;
  /** The server's own name of the tool. */
  tool: string;
  /** The name by which policies and operators' stops know it. */
  toolName: string;
  argumentsJson: string;
  /** The same on every replay. */
  callId: string;
}
