import { inboxPlace } from "@countersign/policy/internal/policy/rules/rule";
import {
  CountersignError,
  type CountersignErrorCode,
  isErrorCode,
} from "@countersign/policy/internal/shared/errors";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval } from "../approval/approval.js";
import { maxExtensionMs } from "../approval/extension.js";
import { latestSnooze } from "../approval/snooze.js";
import { mayDecide, mustLeaveToOthers } from "../approval/who-decides.js";
import type { Stop } from "../stops/stop.js";
import type {
  AssignResult,
  DecideResult,
  ExtendResult,
  ResolveResult,
  SnoozeResult,
  TakeBackResult,
  ViewingResult,
} from "../store/ports/approval-port.js";
import type { WakeUp } from "../store/ports/request-port.js";

export type ActionResult =
  | DecideResult
  | AssignResult
  | TakeBackResult
  | ViewingResult
  | SnoozeResult
  | ExtendResult
  | ResolveResult;

type RefusalCode = Extract<ActionResult["outcome"], CountersignErrorCode>;

/** What a person tried, for the words of the refusal. */
export interface Tried {
  action: "decide" | "assign" | "take_back" | "view" | "snooze" | "extend" | "resolve";
  /** `null`: nobody in particular. */
  principal: Principal | null;
}

interface Refused extends Tried {
  approval: Approval;
  stop?: Stop;
}

interface Words {
  message: string;
  /** Facts for programs, which the API returns. */
  detail?: Readonly<Record<string, unknown>>;
}

/** The approval after an action, also if an identical one was recorded before; or the error for whoever was refused. */
export function approvalOrError(result: ActionResult, tried: Tried): Approval {
  if (result.outcome === "not_found") {
    throw new CountersignError("not_found", "The approval does not exist, or you may not see it");
  }
  const { outcome, approval } = result;
  if (!isErrorCode(outcome)) return approval;
  throw refusalError(outcome, { ...tried, approval, ...("stop" in result && { stop: result.stop }) });
}

/** The wake-ups of an action, also if the caller lost: the last open call may have expired meanwhile. */
export function wakeUpOf(result: { outcome: string; wakeUp?: WakeUp | undefined }): WakeUp[] {
  return result.wakeUp ? [result.wakeUp] : [];
}

function refusalError(code: keyof typeof words, refused: Refused): CountersignError {
  const { message, detail } = words[code](refused);
  return new CountersignError(code, message, detail && { detail });
}

/** Why nobody may decide in the place where somebody tried to. */
export function wrongPlace({ terms: { decideIn } }: Approval): CountersignError {
  const places = decideIn.map((place) => (place === inboxPlace ? "the inbox" : place)).join(" or ");
  const message = `The rules want this call to be decided in ${places}`;
  return new CountersignError("wrong_place", message, { detail: { decideIn } });
}

/** What somebody else must do with a call that one has requested. */
const leftToOthers = {
  assign: "assign it",
  extend: "extend its deadline",
  resolve: "allow the re-run",
} as const satisfies Partial<Record<Tried["action"], string>>;

function isLeftToOthers(action: Tried["action"]): action is keyof typeof leftToOthers {
  return action in leftToOthers;
}

const pastTense = { approve: "approved", edit: "approved with changes", deny: "denied", respond: "answered" };

/** The words of each refusal, by the error's code. */
const words: { [Code in Exclude<RefusalCode, "not_found">]: (refused: Refused) => Words } = {
  forbidden({ action, approval, principal }) {
    if (action === "take_back") {
      return { message: "Somebody else decided this call, so only they can take that back" };
    }
    if (action === "snooze" && principal && mayDecide(approval, principal)) {
      return { message: "This call is not in your list of calls to decide, so you cannot put it aside" };
    }
    const { approvers } = approval;
    return { message: "You may see this call but not decide it", detail: { approvers } };
  },
  self_approval({ action, approval, principal }) {
    if (action === "assign" && !mustLeaveToOthers(approval, principal?.id ?? null)) {
      return { message: "to: this person requested the call and may not decide it. Assign someone else" };
    }
    return {
      message: isLeftToOthers(action)
        ? `You requested this call, so someone else must ${leftToOthers[action]}`
        : "You requested this call, so someone else must approve it. You can still deny it",
    };
  },
  decision_not_allowed: ({ approval: { terms } }) => ({
    message: `type: must be ${terms.decisions.join(" or ")} for this call`,
    detail: { decisions: terms.decisions },
  }),
  wrong_place: ({ approval }) => wrongPlace(approval),
  not_open: () => ({ message: "This call cannot be decided yet; try again in a moment" }),
  stopped({ stop }) {
    if (!stop) return { message: "An operator has stopped calls of this tool" };
    const { id, tool, reason, engagedBy, engagedAt } = stop;
    return {
      message: `${engagedBy} has stopped calls of this tool, so this call cannot be approved: ${reason}`,
      detail: { stop: { id, tool, reason, engagedBy, engagedAt: engagedAt.toISOString() } },
    };
  },
  digest_mismatch: () => ({
    message:
      "digest: the call differs from the one you were shown. Reload it, review it, and send its current digest",
  }),
  digest_changed: () => ({
    message:
      "The stored call no longer matches its digest: it was changed in the database after it was proposed. No decision was recorded, and the call is withdrawn. Inform the operator of this installation",
  }),
  expired: ({ approval: { expiresAt } }) => ({
    message: "The approval expired. The call did not run and will not run",
    detail: { expiresAt: expiresAt?.toISOString() ?? null },
  }),
  withdrawn: ({ approval: { withdrawalCause } }) => ({
    message: "The call was withdrawn before anyone decided",
    detail: { cause: withdrawalCause },
  }),
  already_decided({ approval }) {
    const decision = approval.held ?? approval.decision;
    const winner = decision?.decidedBy ?? "the policy";
    return {
      message: `${winner} has already ${decision ? pastTense[decision.type] : "decided"} this call`,
      detail: {
        decidedBy: winner,
        decision: decision?.type,
        decidedAt: decision?.decidedAt.toISOString(),
        approvalStatus: approval.status,
      },
    };
  },
  too_late: ({ approval: { status } }) => ({
    message: "The decision has taken effect, so it can no longer be taken back",
    detail: { approvalStatus: status },
  }),
  invalid_snooze({ approval }) {
    const latest = latestSnooze(approval)?.toISOString();
    return {
      message: `until: must be after now and before the deadline of the call: at most ${latest}, a minute before it expires`,
      detail: { latest },
    };
  },
  invalid_extension({ approval }) {
    const maxMs = maxExtensionMs(approval);
    return {
      message: `by: must be at least 1m and at most ${maxMs / 60_000}m, the original timeout`,
      detail: { maxMs },
    };
  },
  no_extension_left({ approval: { extensionsUsed, terms } }) {
    const { extensions } = terms;
    const message =
      extensions === 0
        ? "The call's rule does not allow extensions. Decide the call before it expires"
        : `This call may be extended ${extensions === 1 ? "once" : `${extensions} times`}, and all extensions are used. Decide the call before it expires`;
    return { message, detail: { extensionsUsed } };
  },
  not_interrupted: ({ approval: { status } }) => ({
    message: "Only an interrupted call can be resolved",
    detail: { approvalStatus: status },
  }),
  no_rerun: ({ approval: { handlerKind, terms } }) => ({
    message:
      'outcome: this call cannot be re-run without a new approval. A re-run requires an idempotent call with a quorum of one and a thread or requester. Use "done" or "failed", and let the agent propose the call again',
    detail: { handlerKind, quorum: terms.quorum },
  }),
  already_resolved({ approval: { resolution } }) {
    const { resolvedBy, outcome, resolvedAt } = resolution ?? {};
    return {
      message: `${resolvedBy ?? "Someone"} has already recorded the outcome of this call: ${outcome ?? "unknown"}`,
      detail: { resolvedBy, outcome, resolvedAt: resolvedAt?.toISOString() },
    };
  },
};
