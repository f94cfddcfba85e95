import type { Approval } from "../approval/approval.js";
import { longestExtensionMs } from "../approval/extension.js";
import { CountersignError } from "../errors.js";
import type { AssignResult, ExtendResult, LookResult, ResolveResult } from "../store/store.js";
import { approvalOrError } from "./decision-result.js";

/** The approval as assigned, or the error that says why it is not. */
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
        "to: this person asked for the call and may not decide it. Name somebody else",
      );
    default:
      return approvalOrError(result);
  }
}

/** The approval with who looks at it, or the error that says why this person cannot. */
export function lookedOrError(result: LookResult): Approval {
  return result.outcome === "noted" ? result.approval : approvalOrError(result);
}

/** The approval with its new end, or the error that says why it has none. */
export function extendedOrError(result: ExtendResult): Approval {
  switch (result.outcome) {
    case "extended":
      return result.approval;
    case "self_approval":
      throw selfApproval("lengthen its time");
    case "out_of_range":
      throw new CountersignError(
        "invalid_extension",
        `by: must be at least 1m and at most ${longestExtensionMs(result.approval) / 60_000}m, the time that people had at first`,
        { detail: { longestMs: longestExtensionMs(result.approval) } },
      );
    case "used_up":
      if (result.approval.terms.extensions === 0) {
        throw new CountersignError(
          "no_extension_left",
          "The rule of this call lets nobody lengthen its time. Decide it before it ends",
          { detail: { extensionsUsed: 0 } },
        );
      }
      throw new CountersignError(
        "no_extension_left",
        `The time for this call may be lengthened ${timesWords(result.approval.terms.extensions)}, and has been. Decide it before it ends`,
        { detail: { extensionsUsed: result.approval.extensionsUsed } },
      );
    default:
      return approvalOrError(result);
  }
}

/** The approval with what was found out, or the error that says why that was not recorded. */
export function resolvedOrError(result: ResolveResult): Approval {
  switch (result.outcome) {
    case "resolved":
    case "repeated":
      return result.approval;
    case "not_found":
    case "forbidden":
      return approvalOrError(result);
    case "self_approval":
      throw selfApproval("let it run again");
    case "not_interrupted":
      throw new CountersignError(
        "not_interrupted",
        "Only a call that was cut off while it ran can be resolved",
        { detail: { approvalStatus: result.approval.status } },
      );
    case "no_rerun":
      throw new CountersignError(
        "no_rerun",
        'outcome: this call cannot be made again without being asked about: only one that was started as idempotent, needed one person, and has a thread or a requester can. Say "done" or "failed", and let the agent ask again',
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
    `${resolvedBy ?? "Somebody"} has already recorded what became of this call: ${outcome ?? "unknown"}`,
    { detail: { resolvedBy, outcome, resolvedAt: resolvedAt?.toISOString() } },
  );
}

function selfApproval(what: string): CountersignError {
  return new CountersignError("self_approval", `You asked for this call, so somebody else must ${what}`);
}
