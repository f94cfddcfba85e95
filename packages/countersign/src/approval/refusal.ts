import { z } from "zod";
import type { Approval, WithdrawalCause } from "./approval.js";

/** Why a call did not run (or may not have), as the model reads it in the tool's result. */
export const refusalSchema = z.object({
  /** Stable, for code. */
  code: z.enum([
    "denied_by_policy",
    "denied_by_person",
    "approval_expired",
    "approval_withdrawn",
    "execution_interrupted",
    "unknown_tool",
    "invalid_input",
    "outside_inngest",
    "approval_missing",
    "too_many_pending",
    "too_many_denials",
    "duplicate_call",
  ]),
  /** One or two sentences that a model can act on. */
  message: z.string(),
  /** `null` where the call never became an approval. */
  approvalId: z.string().nullable(),
});

export type Refusal = z.infer<typeof refusalSchema>;
export type RefusalCode = Refusal["code"];

const withdrawalWords: Record<WithdrawalCause, string> = {
  run_cancelled: "the run was cancelled",
  run_failed: "the run failed",
  policy_changed: "the policy changed after the approval and now forbids this call",
  tool_changed: "the tool's definition changed after the approval",
  digest_changed: "the stored call no longer matches what was approved",
  superseded: "a newer message in the conversation took its place",
  too_many_pending: "too many calls wait for a person already",
  too_many_denials: "people have denied the last calls of this run one after another",
  duplicate_call: "the same call is waiting already",
  grant_revoked: "the standing approval that covered it was revoked",
  evidence_invalid: "the record of the decision could not be verified",
  orchestration_failed: "the approval could not be carried through because of a technical fault",
};

/** The words for an approval that ended without its tool having run to the end, or `undefined` if it may run. */
export function refusalFor(approval: Approval): Refusal | undefined {
  const { toolName: tool, id: approvalId } = approval;
  const reason = approval.decision?.reason;
  switch (approval.status) {
    case "denied":
      return approval.decision?.decidedBy
        ? {
            code: "denied_by_person",
            approvalId,
            message: `A person reviewed this call of ${tool} and denied it, so it did not run.${
              reason ? ` Their reason: ${sentence(reason)}` : " They gave no reason."
            } Do not repeat the same call.`,
          }
        : deniedByPolicy(tool, reason, approvalId);
    case "expired":
      return {
        code: "approval_expired",
        approvalId,
        message: `This call of ${tool} needed a person's approval and the time for it expired before it could run. It did not run. Nobody said no to it: it may be proposed again if it is still wanted.`,
      };
    case "withdrawn":
      if (approval.withdrawalCause === "too_many_pending") {
        return {
          code: "too_many_pending",
          approvalId,
          message: `This call of ${tool} did not run and nobody was asked: too many calls wait for a person already. Tell the user so, and propose no further calls that need approval until some of those have been decided.`,
        };
      }
      if (approval.withdrawalCause === "too_many_denials") {
        return {
          code: "too_many_denials",
          approvalId,
          message: `This call of ${tool} did not run and nobody was asked: people have denied the last calls of this run one after another. Stop proposing such calls, and ask the user what they want instead.`,
        };
      }
      if (approval.withdrawalCause === "duplicate_call") {
        return {
          code: "duplicate_call",
          approvalId: approval.duplicateOf ?? approvalId,
          message: `The same call of ${tool} with the same arguments was waiting for a person already when this one was proposed, so this one did not run and nobody was asked a second time. That call is decided once and runs at most once. Do not repeat it: go by its result, or tell the user that it waits.`,
        };
      }
      return {
        code: "approval_withdrawn",
        approvalId,
        message: `This call of ${tool} was withdrawn and did not run: ${
          withdrawalWords[approval.withdrawalCause ?? "orchestration_failed"]
        }.`,
      };
    case "interrupted":
      return {
        code: "execution_interrupted",
        approvalId,
        message: `This call of ${tool} was approved and started, then cut off by a crash. It may or may not have run. Do not repeat it; check its effect first or ask a person.`,
      };
    default:
      return undefined;
  }
}

/** A call that the policy forbids; no person was asked. */
function deniedByPolicy(tool: string, reason: string | null | undefined, approvalId: string): Refusal {
  return {
    code: "denied_by_policy",
    approvalId,
    message: `The policy does not allow this call of ${tool}, so it did not run.${
      reason ? ` Reason: ${sentence(reason)}` : ""
    } Do not try it again.`,
  };
}

/** Somebody's words with an end, so that ours do not run on from them. */
function sentence(words: string): string {
  const text = words.trimEnd();
  return /[\p{Sentence_Terminal}…][\p{Pe}\p{Pf}"']*$/u.test(text) ? text : `${text}.`;
}
