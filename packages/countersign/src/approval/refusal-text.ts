import { withdrawalText } from "@countersign/policy/internal/display/withdrawal-text";
import type { CheckResult } from "@countersign/policy/internal/safety-checks/safety-check";
import * as z from "zod";
import type { Approval } from "./approval.js";
import { externalToolVersion } from "./external-tool-version.js";

/** Why a call did not run (or may not have). The model reads it as the tool's result. */
export const refusalSchema = z.object({
  /** Stable code for programs. */
  code: z.enum([
    "denied_by_policy",
    "denied_by_person",
    "approval_expired",
    "approval_withdrawn",
    "execution_interrupted",
    "unknown_tool",
    "invalid_input",
    "outside_inngest",
    "step_in_plain_handler",
    "no_requester",
    "approval_missing",
    "too_many_pending",
    "too_many_denials",
    "duplicate_call",
    "stopped",
    "check_failed",
    "effects_changed",
    "budget_exhausted",
    "run_nearly_full",
  ]),
  /** One or two sentences that tell the model what happened and what to do. */
  message: z.string(),
  /** `null` if no approval was created. */
  approvalId: z.string().nullable(),
});

export type Refusal = z.infer<typeof refusalSchema>;

/** The refusal for an approval whose tool did not run to completion, or `undefined` if it may run. */
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
        message: `This call of ${tool} needed a person's approval, and the approval expired before it could run. It did not run. Nobody denied it: you may propose it again if it is still wanted.`,
      };
    case "withdrawn":
      if (approval.withdrawalCause === "stopped") return stoppedRefusal(tool, approvalId);
      if (approval.withdrawalCause === "check_failed") return checkFailed(approval);
      if (approval.withdrawalCause === "effects_changed") return effectsChanged(approval);
      if (approval.withdrawalCause === "budget_exhausted") {
        return {
          code: "budget_exhausted",
          approvalId,
          message: `This call of ${tool} did not run: ${withdrawalText.budget_exhausted}. Nobody denied it: you may propose it again if it is still wanted, and a person will be asked.`,
        };
      }
      if (approval.withdrawalCause === "too_many_pending") {
        return {
          code: "too_many_pending",
          approvalId,
          message: `This call of ${tool} did not run and nobody was asked: too many calls are already waiting for approval. Tell the user, and do not propose more calls that need approval until some of those have been decided.`,
        };
      }
      if (approval.withdrawalCause === "too_many_denials") {
        if (approval.toolVersion === externalToolVersion) return programDiscouraged(tool, approvalId);
        return {
          code: "too_many_denials",
          approvalId,
          message: `This call of ${tool} did not run and nobody was asked: people denied the latest calls of this run in a row. Stop proposing such calls, and ask the user what they want instead.`,
        };
      }
      if (approval.withdrawalCause === "duplicate_call") {
        return {
          code: "duplicate_call",
          approvalId: approval.duplicateOf ?? approvalId,
          message: `The same call of ${tool} with the same arguments was already waiting for approval when this one was proposed, so this one did not run and nobody was asked again. The waiting call is decided once and runs at most once. Do not repeat it: use its result, or tell the user that it is waiting for approval.`,
        };
      }
      return {
        code: "approval_withdrawn",
        approvalId,
        message: `This call of ${tool} was withdrawn and did not run: ${
          withdrawalText[approval.withdrawalCause ?? "orchestration_failed"]
        }.`,
      };
    case "interrupted":
      return {
        code: "execution_interrupted",
        approvalId,
        message: `This call of ${tool} was approved and started, then interrupted by a crash. It may or may not have run. Do not repeat it; check its effect first or ask a person.`,
      };
    default:
      return undefined;
  }
}

function programDiscouraged(tool: string, approvalId: string): Refusal {
  return {
    code: "too_many_denials",
    approvalId,
    message: `This call of ${tool} did not run and nobody was asked: people denied the latest calls of this program in a row. Stop requesting such calls. An hour after the denials it may ask again, with another key.`,
  };
}

/** The refusal for a call that ended without a person's decision. Uses only fixed text, nothing from the row. */
export function refusalWithoutDecision(approval: Approval): Refusal | undefined {
  const over = ["withdrawn", "expired", "interrupted"].includes(approval.status);
  return over ? refusalFor(approval) : undefined;
}

/** Replaces a decision that has no valid signature or is about another call. */
export function decisionUnproven(approvalId: string): Refusal {
  return {
    code: "approval_withdrawn",
    approvalId,
    message: `This call did not run: ${withdrawalText.evidence_invalid}.`,
  };
}

/** For a call whose row says that it ran, but without a valid signature of its outcome. */
export function outcomeUnverified({ toolName, id: approvalId }: Approval): Refusal {
  return {
    code: "execution_interrupted",
    approvalId,
    message: `The recorded outcome of this call of ${toolName} could not be verified. It may or may not have run. Do not repeat it; check its effect first or ask a person.`,
  };
}

/** For a call that an operator's stop covers. The stop's reason is for people and not included. */
export function stoppedRefusal(tool: string, approvalId: string | null = null): Refusal {
  return {
    code: "stopped",
    approvalId,
    message: `An operator has stopped calls of ${tool}, so this call did not run. Do not call it again, and do not try to achieve the same effect in another way. Tell the user that an operator has stopped it.`,
  };
}

/** For a call that a safety check ended right before its start. Only the process that ran the check knows the result. */
export function checkFailed(
  { toolName, id: approvalId }: { toolName: string; id: string | null },
  failed?: CheckResult,
): Refusal {
  const check = failed ? `its safety check "${failed.name}"` : "one of its safety checks";
  const why = failed?.message ? ` The check says: ${sentence(failed.message)}` : "";
  return {
    code: "check_failed",
    approvalId,
    message: `This call of ${toolName} did not run: ${check} failed right before the start.${why} You may propose another call that passes the check, or the same one when the reason is gone.`,
  };
}

/**
 * For a call whose preview no longer says what it was approved for. Only the process that ran the preview again knows both.
 *
 * @param effects What it was approved for, and what it would be now; `null` if that could not be found out.
 */
export function effectsChanged(
  { toolName, id: approvalId }: { toolName: string; id: string | null },
  effects?: { seen: readonly string[]; now: readonly string[] | null },
): Refusal {
  const seen = effects?.seen.join("; ");
  const now = effects?.now?.join("; ") ?? "could not be found out";
  const changed =
    now === seen
      ? "The same would change, but the state that this depends on is another one."
      : `Now it would be: ${sentence(now)}`;
  const both = seen === undefined ? "" : ` It was approved for: ${sentence(seen)} ${changed}`;
  return {
    code: "effects_changed",
    approvalId,
    message: `This call of ${toolName} did not run: right before the start, ${withdrawalText.effects_changed}.${both} Look at the present state. You may propose a call again if it is still wanted.`,
  };
}

/** For a gated call when the run has too few steps left. */
export function runNearlyFull(tool: string, steps: number): Refusal {
  return {
    code: "run_nearly_full",
    approvalId: null,
    message: `This call of ${tool} did not run and nobody was asked: this run is nearly full (${steps} steps). Finish now: propose no more calls. Tell the user what was done and what is left, and that a new message starts a new run.`,
  };
}

/** For a call that the policy denies. No person was asked. */
export function deniedByPolicy(tool: string, reason: string | null | undefined, approvalId: string): Refusal {
  return {
    code: "denied_by_policy",
    approvalId,
    message: `The policy does not allow this call of ${tool}, so it did not run.${
      reason ? ` Reason: ${sentence(reason)}` : ""
    } Do not try it again.`,
  };
}

/** For a call whose id another call of the same response has. */
export function callIdTwice(tool: string, id: string): Refusal {
  return {
    code: "invalid_input",
    approvalId: null,
    message: `This call of ${tool} did not run and nobody was asked: another call of the same response has its id "${id}", so their results could not be told apart. Neither has run. Propose them again, one in each response.`,
  };
}

/** For a gated call without a decision. */
export function approvalMissing(tool: string, approvalId: string | null = null): Refusal {
  return {
    code: "approval_missing",
    approvalId,
    message: `This call of ${tool} needed an approval, and none was found, so it did not run.`,
  };
}

/** For a call that an earlier attempt of its run was allowed to start under a policy that has changed since. */
export function allowedBefore(tool: string): Refusal {
  return {
    code: "execution_interrupted",
    approvalId: null,
    message: `An earlier attempt of this run could start this call of ${tool} without an approval, which the policy requires now. It may or may not have run. Do not repeat it; check its effect first or ask a person.`,
  };
}

/** Ends a person's text with punctuation, so that our next sentence stays separate. */
function sentence(words: string): string {
  const text = words.trimEnd();
  return /[\p{Sentence_Terminal}…][\p{Pe}\p{Pf}"']*$/u.test(text) ? text : `${text}.`;
}
