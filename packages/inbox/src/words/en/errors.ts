import { countNumber } from "../locale.js";

/** An error message: what happened, what was kept, and what to do. */
export interface ErrorMessage {
  title: string;
  advice: string;
}

/** Messages by the code of an error. */
const byCode: Record<string, ErrorMessage> = {
  unauthenticated: { title: "You are signed out", advice: "Sign in again. What you typed is kept." },
  forbidden: { title: "You cannot decide this", advice: "Someone else must decide it. Nothing was decided." },
  self_approval: {
    title: "You requested this yourself",
    advice: "Someone else must approve this. You can still deny it.",
  },
  wrong_place: {
    title: "This must be decided elsewhere",
    advice: "Nothing was decided. The rules name another place for it, such as Slack.",
  },
  not_found: {
    title: "Not found",
    advice: "It does not exist, or you do not have access to it.",
  },
  too_late: {
    title: "Too late to take this back",
    advice: "The decision has taken effect. Open it to see what became of it.",
  },
  not_open: {
    title: "This cannot be decided yet",
    advice: "Nothing was decided. Wait a moment and try again.",
  },
  digest_mismatch: {
    title: "This has changed since you opened it",
    advice: "Nothing was decided. Reload it and review it again.",
  },
  digest_changed: {
    title: "This was modified in the database",
    advice: "Nothing was decided. Contact your administrator.",
  },
  stopped: {
    title: "This tool is stopped",
    advice: "Nothing was decided. What you typed is kept. Approve it once the stop is released, or deny it.",
  },
  stops_not_allowed: {
    title: "You cannot stop or release tools",
    advice: "Nothing was changed. Ask someone whose role allows it.",
  },
  stop_limit: {
    title: "Too many stops are active",
    advice: "Release one that is no longer needed, or cover more tools with one pattern.",
  },
  withdrawn: { title: "This was withdrawn", advice: "The agent no longer needs it. Nothing ran." },
  expired: { title: "This expired", advice: "Nothing ran. The agent may ask again." },
  decision_not_allowed: {
    title: "This decision is not available",
    advice: "Nothing was decided. Choose another option.",
  },
  edit_not_allowed: {
    title: "You cannot make these changes",
    advice: "Nothing was decided. Your changes are kept. Change less, or deny it.",
  },
  invalid_edit: {
    title: "These changes are not valid",
    advice: "Nothing was decided. Your changes are kept. Fix the marked fields.",
  },
  grant_not_allowed: {
    title: "You cannot give this permission",
    advice: "Nothing was decided. You can still approve this once.",
  },
  grant_limit: {
    title: "There are too many standing permissions",
    advice: "Nothing was decided. Revoke those that are no longer needed, or approve only this once.",
  },
  too_many_requests: { title: "Too many requests", advice: "Wait a moment and try again." },
  invalid_extension: {
    title: "That extension is too long",
    advice: "Nothing was changed. Choose a shorter time.",
  },
  invalid_snooze: {
    title: "It cannot be put aside until then",
    advice: "Nothing was changed. Choose an earlier time, or decide it now.",
  },
  no_extension_left: {
    title: "No extensions left",
    advice: "Its rule does not allow another extension.",
  },
  not_interrupted: { title: "This was not interrupted", advice: "There is nothing to record." },
  already_resolved: {
    title: "Someone has already recorded the outcome",
    advice: "Reload it to see what they found.",
  },
  no_rerun: {
    title: "This cannot run again",
    advice: "Record whether it ran. The agent may then ask again.",
  },
  invalid_response: {
    title: "This answer does not fit the question",
    advice: "Nothing was sent. Your answer is kept.",
  },
  database_failed: {
    title: "The server could not save this",
    advice: "What you typed is kept. Try again in a moment.",
  },
};

/** Texts of errors of the API. */
export const errors = {
  byCode,
  noResponse: {
    title: "The server did not respond",
    adviceOnDecision: "What you typed is kept. You can safely try again: a decision counts only once.",
    adviceOnUndo: "What you typed is kept. You can safely try again: it is undone only once.",
  },
  unknown: {
    title: "Something went wrong",
    adviceOnDecision: "Nothing was decided. Reload the page.",
    adviceOnUndo: "What you typed is kept. Reload the page.",
  },
  /** Why an edit is not allowed: a change that others must approve, or that the rules forbid. `reason` is empty without one. */
  edit: {
    needsOthers: (who: string, reason: string) =>
      `This needs ${who}${reason && ` (${reason})`}. Change less, or reassign it to them.`,
    someoneElse: "someone else",
    people: (count: number, who: string) => `${countNumber(count)} people${who && ` of ${who}`}`,
    forbidden: "The rules forbid this value. Enter another one.",
  },
  /** Detail of a problem in the server's words, which are English. */
  detail: (detail: string) => `${detail} What you typed is kept.`,
  alreadyDecided: {
    title: (by: string | undefined) =>
      by === undefined ? "Someone already decided this" : `${by} already decided this`,
    advice: "Your decision was not counted. What you typed is kept.",
  },
};
