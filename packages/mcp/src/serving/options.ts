import type { OperatorConfirmations } from "countersign/evidence";
import type { Authenticate, RateLimit } from "countersign/hono";

/** How clients find the authorization server that issues their tokens (RFC 9728). */
export interface McpAuthorization {
  /** The address of this server, as clients call it: `"https://desk.example.com/api/mcp"`. */
  resource: string;
  /** Issuers whose tokens `authenticate` accepts. */
  authorizationServers: readonly string[];
  /** @default not announced to clients */
  scopesSupported?: readonly string[];
}

export interface McpServerOptions {
  /**
   * Returns the principal of a request, from a verified token or session, or `null` if there is none. Called for each
   * request, and again at intervals while a stream is open.
   */
  authenticate: Authenticate;
  /** Where the inbox is: `"https://desk.example.com/inbox"`. Clients open it for decisions. @default none: no links */
  inboxUrl?: string;
  /** Roles that see redacted arguments. @default [] (nobody) */
  fullViewRoles?: readonly string[];
  /** Roles whose principals may ask for approval of their own calls, with `request_approval`. @default [] (nobody) */
  requestRoles?: readonly string[];
  /** The policy profile of calls that are requested here. @default none */
  profile?: string;
  /**
   * The authorization server that is named in responses to clients without a valid token. @default clients must have a
   * token already
   */
  authorization?: McpAuthorization;
  /**
   * Origins of web pages that may send requests, beside the server's own.
   * @default []
   */
  allowedOrigins?: readonly string[];
  /** Maximum requests per principal to this process; `false` for no limit. @default 1,200 a minute */
  rateLimit?: RateLimit | false;
  /**
   * Operators' confirmations of your own code. Adds the tool `operator_confirmation_implementation_channel_plan`, which
   * shows their channels and changes nothing. @default none
   */
  confirmations?: Pick<OperatorConfirmations, "channelPlan">;
  /** Milliseconds for which `decide_approval` waits for the decision after the client opened the inbox. @default 25,000 */
  decisionWaitMs?: number;
  /** Milliseconds between heartbeats of a stream, each of which also authenticates again. @default 15,000 */
  heartbeatMs?: number;
}
