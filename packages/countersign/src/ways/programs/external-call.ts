import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval } from "../../approval/approval.js";
import { externalToolVersion } from "../../approval/external-tool-version.js";
import type { Refusal } from "../../approval/refusal-text.js";

/** A call that a program outside of AgentKit wants to make, and the program's own principal. */
export interface ExternalCall {
  /** The verified principal of the program. It is the call's requester, and alone may use its approval. */
  principal: Principal;
  /** The name that rules and stops match. White space around it is removed. */
  toolName: string;
  /** The arguments; shown to people and covered by the digest. */
  input: Record<string, unknown>;
}

/** A call to propose. */
export interface ExternalCallRequest extends ExternalCall {
  /**
   * Names this request, so that it can be repeated: the same key and call get the same approval.
   * @default none: the same call of this principal joins one that is still pending
   */
  key?: string;
  /** The policy profile that the host binds the program to. */
  profile?: string;
}

/** The program that asks, and the approval of its call. */
export interface ExternalCallReference {
  principal: Principal;
  approvalId: string;
}

/** A call whose approval is to be used. */
export interface ExternalCallUse extends ExternalCall, ExternalCallReference {
  /** The digest that `request` returned. @default not compared; the tool name and the arguments always are */
  digest?: string;
}

/** The state of a call. */
export type ExternalCallOutcome =
  /** The policy allows it without asking. */
  | { status: "allowed" }
  | { status: "pending"; approvalId: string; digest: string; expiresAt: Date | null }
  /** The program may make the call once, after `use`. */
  | { status: "approved"; approvalId: string; digest: string }
  /** A person did the tool's work and supplied the result. */
  | { status: "responded"; approvalId: string; result: unknown }
  /** Its approval was used, or its use was interrupted. */
  | { status: "used"; approvalId: string }
  | { status: "refused"; approvalId: string | null; refusal: Refusal };

/** The use of an approval. Only `go` permits the program to act, and only once. */
export type ExternalCallPermit =
  | { go: true; approvalId: string; digest: string; evidence: string | null }
  | { go: false; outcome: ExternalCallOutcome };

/** Tool calls of programs outside of AgentKit, under the same policy. */
export interface ExternalCalls {
  /**
   * Evaluates the policy for a call, and asks people if the policy requires it.
   *
   * @throws CountersignError `invalid_request` naming the field, `approval_id_taken` if the key names another call.
   *
   * @example
   * ```ts
   * import type { Countersign, Principal } from "countersign";
   *
   * export const askToDeploy = (countersign: Countersign, principal: Principal) =>
   *   countersign.externalCalls.request({ principal, toolName: "deploy", input: { service: "web" } });
   * ```
   */
  request(call: ExternalCallRequest): Promise<ExternalCallOutcome>;
  /**
   * Returns the state of a call of this principal.
   *
   * @throws CountersignError `not_found` also for calls of others.
   */
  outcome(call: ExternalCallReference): Promise<ExternalCallOutcome>;
  /**
   * Consumes the approval of exactly this call. The program then makes the call itself, once.
   *
   * @throws CountersignError `not_found`, or `digest_mismatch` if the tool name, the arguments or the digest differ.
   */
  use(call: ExternalCallUse): Promise<ExternalCallPermit>;
  /** Withdraws a pending call that the program no longer wants to make. */
  withdraw(call: ExternalCallReference): Promise<ExternalCallOutcome>;
}

/** True if this principal's program proposed the call. */
export function isExternalCallOf(approval: Approval, { id, tenantId }: Principal): boolean {
  return (
    approval.toolVersion === externalToolVersion &&
    approval.tenantId === tenantId &&
    approval.requesterId === id
  );
}
