import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Approval } from "../approval/approval.js";
import { maxExtensionMs } from "../approval/extension.js";
import { latestSnooze } from "../approval/snooze.js";
import type {
  AssignResult,
  ExtendResult,
  ResolveResult,
  SnoozeResult,
  TakeBackResult,
  ViewingResult,
} from "../store/ports/approval-port.js";
import { approvalOrError } from "./decision-result.js";

/** The approval as assigned, or the error with the reason why not. */
export function assignedOrError(result: AssignResult): Approval {
  switch (result.outcome) {
    case "assigned":
    case "repeated":
      return result.approval;
    case "self_approval":
      throw selfApproval("assign it");
    case "requester_may_not":
      throw new CountersignError(
        "self_approval",
        "to: this person requested the call and may not decide it. Assign someone else",
      );
    default:
      return approvalOrError(result);
  }
}

/** The approval, which waits again, or the error with the reason why not. */
export function takenBackOrError(result: TakeBackResult): Approval {
  switch (result.outcome) {
    case "taken_back":
      return result.approval;
    case "not_yours":
      throw new CountersignError(
        "forbidden",
        "Somebody else decided this call, so only they can take that back",
      );
    case "too_late":
      throw new CountersignError(
        "too_late",
        "The decision has taken effect, so it can no longer be taken back",
        {
          detail: { approvalStatus: result.approval.status },
        },
      );
    default:
      return approvalOrError(result);
  }
}

/** The approval with its viewers, or the error with the reason why this person cannot view it. */
export function viewingOrError(result: ViewingResult): Approval {
  return result.outcome === "noted" ? result.approval : approvalOrError(result);
}

/** The approval as put aside or brought back, or the error with the reason why not. */
export function snoozedOrError(result: SnoozeResult): Approval {
  switch (result.outcome) {
    case "snoozed":
      return result.approval;
    case "not_for_you":
      throw new CountersignError(
        "forbidden",
        "This call is not in your list of calls to decide, so you cannot put it aside",
      );
    case "out_of_range": {
      const latest = latestSnooze(result.approval)?.toISOString();
      throw new CountersignError(
        "invalid_snooze",
        `until: must be after now and before the deadline of the call: at most ${latest}, a minute before it expires`,
        { detail: { latest } },
      );
    }
    default:
      return approvalOrError(result);
  }
}

/** The approval with its new deadline, or the error with the reason why not. */
export function extendedOrError(result: ExtendResult): Approval {
  switch (result.outcome) {
    case "extended":
      return result.approval;
    case "self_approval":
      throw selfApproval("extend its deadline");
    case "out_of_range":
      throw new CountersignError(
        "invalid_extension",
        `by: must be at least 1m and at most ${maxExtensionMs(result.approval) / 60_000}m, the original timeout`,
        { detail: { maxMs: maxExtensionMs(result.approval) } },
      );
    case "used_up":
      if (result.approval.terms.extensions === 0) {
        throw new CountersignError(
          "no_extension_left",
          "The call's rule does not allow extensions. Decide the call before it expires",
          { detail: { extensionsUsed: 0 } },
        );
      }
      throw new CountersignError(
        "no_extension_left",
        `This call may be extended ${timesWords(result.approval.terms.extensions)}, and all extensions are used. Decide the call before it expires`,
        { detail: { extensionsUsed: result.approval.extensionsUsed } },
      );
    default:
      return approvalOrError(result);
  }
}

/** The approval with its resolution, or the error with the reason why none was recorded. */
export function resolvedOrError(result: ResolveResult): Approval {
  switch (result.outcome) {
    case "resolved":
    case "repeated":
      return result.approval;
    case "not_found":
    case "forbidden":
      return approvalOrError(result);
    case "self_approval":
      throw selfApproval("allow the re-run");
    case "not_interrupted":
      throw new CountersignError("not_interrupted", "Only an interrupted call can be resolved", {
        detail: { approvalStatus: result.approval.status },
      });
    case "no_rerun":
      throw new CountersignError(
        "no_rerun",
        'outcome: this call cannot be re-run without a new approval. A re-run requires an idempotent call with a quorum of one and a thread or requester. Use "done" or "failed", and let the agent propose the call again',
        { detail: { handlerKind: result.approval.handlerKind, quorum: result.approval.terms.quorum } },
      );
    case "already_resolved":
      throw alreadyResolved(result.approval);
  }
}

function timesWords(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

function alreadyResolved({ resolution }: Approval): CountersignError {
  const { resolvedBy, outcome, resolvedAt } = resolution ?? {};
  return new CountersignError(
    "already_resolved",
    `${resolvedBy ?? "Someone"} has already recorded the outcome of this call: ${outcome ?? "unknown"}`,
    { detail: { resolvedBy, outcome, resolvedAt: resolvedAt?.toISOString() } },
  );
}

function selfApproval(what: string): CountersignError {
  return new CountersignError("self_approval", `You requested this call, so someone else must ${what}`);
}
