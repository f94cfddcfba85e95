import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Countersign } from "countersign";
import type { apiContext } from "countersign/internal";
import type { McpServerOptions } from "./options.js";

/** The modes in which a client says that its user can answer. They are not verified. */
export interface Elicitation {
  url: boolean;
  form: boolean;
}

/** One request: who sends it, and what its tools need. */
export interface Reader {
  principal: Principal;
  countersign: Countersign;
  context: ReturnType<typeof apiContext>;
  /** A client of the stateless protocol of 2026, or of an earlier version. */
  era: "modern" | "legacy";
  /** The modes that a client before 2026 declared when it connected. Later clients declare them in each request. */
  claimed: Elicitation;
  inboxUrl: string | undefined;
  mayRequest: boolean;
  profile: string | undefined;
  confirmations: McpServerOptions["confirmations"];
  decisionWaitMs: number;
  /** Milliseconds between reports of progress while a tool waits. */
  heartbeatMs: number;
  /**
   * Counts a waiting request until the returned function is called.
   * @throws CountersignError `too_many_requests`
   */
  enterWait(): () => void;
}

/** The address of an approval in the inbox. It holds no token: the inbox authenticates whoever opens it. */
export function inboxUrlOf({ inboxUrl }: Pick<Reader, "inboxUrl">, approvalId: string): string | null {
  return inboxUrl === undefined ? null : `${inboxUrl}/approvals/${encodeURIComponent(approvalId)}`;
}
