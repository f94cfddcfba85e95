import type { Approval, ApprovalStatus, EarlierCall, ResolutionOutcome } from "../../api/approval.js";
import { counted } from "../plural.js";

type DecisionType = NonNullable<Approval["decision"]>["type"];

const numberWords = ["no", "one", "two", "three", "four", "five"];

function numberWord(count: number): string {
  return numberWords[count] ?? String(count);
}

/** Texts of what came of a decision, and undo. */
export const decided = {
  status: {
    proposed: "asked for",
    pending: "pending",
    approved: "approved",
    denied: "denied",
    responded: "answered",
    expired: "expired",
    withdrawn: "withdrawn",
    executing: "running",
    executed: "ran",
    failed: "failed",
    interrupted: "interrupted",
  } satisfies Record<ApprovalStatus, string>,

  /** Who decided, for the texts of `outcome`. */
  by: {
    you: "you",
    grant: "a standing permission",
    policy: "the rules",
    person: (id: string) => id,
  },
  outcome: {
    approved: (by: string) => `${by} approved`,
    approvedWithChanges: (by: string, changes: number) =>
      `${by} approved with ${changes === 0 ? "some changes" : counted(changes, "change", "changes")}`,
    denied: (by: string) => `${by} denied`,
    answered: (by: string) => `${by} answered`,
    declined: (by: string) => `${by} declined to answer`,
    allowedUnasked: "allowed without asking",
    undecided: "no decision in time",
    notStarted: "not started yet",
    running: "running",
    ran: "ran",
    ranUnasked: "ran without asking",
    ranAndFailed: "ran and failed",
    interrupted: "interrupted",
    mayHaveRun: "interrupted, may have run",
    expired: "expired",
    withdrawn: (cause: string) => `withdrawn: ${cause}`,
  },
  resolution: {
    done: "a person confirmed that it ran",
    failed: "a person confirmed that it did not run",
    rerun: "a person allowed one more run",
  } satisfies Record<ResolutionOutcome, string>,

  expired: {
    at: (time: string) => `Expired at ${time}.`,
    unused: "Approved, but the run never started it.",
    plain: "Expired.",
    mayAskAgain: "The agent may ask again.",
    unanswered: "The agent was told that nobody answered, and may ask again.",
    undecided: "It did not run. The agent was told that nobody decided in time, and may ask again.",
  },

  /** What the reader has just done. */
  made: {
    approve: "You approved",
    edit: "You approved with changes",
    deny: "You denied",
    respond: "You answered",
  } satisfies Record<DecisionType, string>,
  /** Before values that an edit has replaced. */
  requested: "requested:",
  votedToDeny: "You voted to deny",
  /** After a vote to approve. */
  voted: (more: number) => `You approved. ${more === 1 ? "1 more person" : `${more} more people`} needed.`,
  snoozed: (until: string) => `Snoozed until ${until}`,
  /** A decision of the reader that is held. */
  heldOwn: {
    approve: "Approved",
    edit: "Approved with changes",
    deny: "Denied",
    respond: "Answered",
  } satisfies Record<DecisionType, string>,
  /** A decision of somebody else that is held. */
  heldOther: {
    approve: (who: string) => `${who} approved this`,
    edit: (who: string) => `${who} approved this with changes`,
    deny: (who: string) => `${who} denied this`,
    respond: (who: string) => `${who} answered this`,
  } satisfies Record<DecisionType, unknown>,

  quorum: {
    you: "you",
    approved: (count: number, of: number) =>
      count === 0 ? "Nobody has approved yet" : `${count} of ${of} approved`,
    denied: (count: number, of: number) => `${count} of ${of} denied`,
    rolesNeeded: (count: number, roles: readonly string[]) =>
      count === 1
        ? `Still needed: ${roles.join(" or ")}`
        : `Still needed: ${numberWord(count)} of ${roles.join(", ")}`,
    moreNeeded: (count: number) => `Still needed: ${numberWord(count)} ${count === 1 ? "person" : "people"}`,
    differentRoles: "from different roles",
  },

  /** `ago` begins with a space, or is empty; `by` is one of the texts below, or empty. */
  earlier: {
    executed: (ago: string, by: string) => `The same request ran${ago}${by}`,
    failed: (ago: string, by: string) => `The same request ran and failed${ago}${by}`,
    responded: (ago: string, by: string) => `The same request was answered${ago}${by}`,
    executing: (_ago: string, by: string) => `The same request is running${by}`,
    interrupted: (ago: string, by: string) => `The same request was interrupted${ago} and may have run${by}`,
  } satisfies Record<EarlierCall["status"], unknown>,
  earlierBy: {
    approved: (who: string) => `, approved by ${who}`,
    answered: (who: string) => ` by ${who}`,
  },

  undo: {
    until: (time: string) => `until ${time}`,
    anyTime: "at any time",
    anyTimeAfter: "at any time after it has run",
    within: (length: string) => `within ${length} after it has run`,
    /** `when` is one of the texts above. */
    youMay: (when: string) => `You can undo it ${when}.`,
    mayBe: (when: string) => `May be undone ${when}`,
    couldBe: (when: string) => `Could be undone ${when}`,
    mark: (when: string) => `Undo ${when}`,
    requested: "Undo requested",
    undone: "Undone",
    undoneAt: (time: string) => `Undone at ${time}`,
    requestedBy: (who: string) => `Requested by ${who}.`,
    undoRequestedBy: (who: string) => `Undo requested by ${who}.`,
    undoRequested: "Undo requested.",
    needsYou: "It needs your approval.",
    waitsFor: (approvers: string) => `It waits for ${approvers}.`,
    again: (when: string) => `It may be requested again ${when}.`,
    overAgain: "The time for another one is over.",
    underWay: "Its undo is under way.",
    hidden: "An undo was requested. You cannot view it.",
    uncertain: "Its undo was interrupted and may have happened. Check its effect.",
    /** A full stop, or a colon and the reason, comes behind it and the next. */
    denied: (who: string) => `${who} denied its undo`,
    policyDenied: "The rules denied its undo",
    expired: "Nobody approved its undo in time.",
    withdrawn: "Its undo was withdrawn.",
    failed: "Its undo ran and failed.",
    interrupted: "Its undo was interrupted, and did not happen.",
  },
};
