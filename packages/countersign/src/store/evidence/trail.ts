import type { Approval } from "../../approval/approval.js";
import { maxExtensionMs } from "../../approval/extension.js";
import { type HandlerKind, handlerKinds } from "../../approval/handler-kind.js";
import { approvalTypes, ends } from "../audit/trail-types.js";

/** The log's entries about one approval. Rows can be reset; the log only grows. */
export interface TrailEntry {
  type: string;
  actorId: string | null;
  at: number;
  data: Record<string, unknown>;
}

/** True if by the log a call has ended, or has started although its row says that it is only approved, or the reverse. */
export function contradicts(
  trail: readonly Pick<TrailEntry, "type">[],
  status: "approved" | "executing",
): boolean {
  const hasStarted = trail.some(({ type }) => type === "approval.executing");
  const hasEnded = trail.some(({ type }) => ends.some((end) => end === type));
  return hasEnded || hasStarted !== (status === "executing");
}

/** The kind of the handler with which a call started: that of its row, unless the log names it, as entries do by now. */
export function startedAs(
  trail: readonly Pick<TrailEntry, "type" | "data">[],
  { handlerKind }: Pick<Approval, "handlerKind">,
): HandlerKind | null {
  const start = trail.find(({ type }) => type === "approval.executing");
  return handlerKinds.find((kind) => kind === start?.data.handlerKind) ?? handlerKind;
}

/**
 * The entry of the decision that this evidence proves. The database keeps it and all later ones until the evidence has
 * expired, so whatever ended the call is in the trail as well.
 */
export function approvalIn(trail: readonly TrailEntry[], evidenceId: string): TrailEntry | undefined {
  return trail.find(
    ({ type, data }) => approvalTypes.some((approved) => approved === type) && data.evidenceId === evidenceId,
  );
}

/** Whether the decision that this evidence proves was held, and its person took it back. */
export function wasTakenBack(trail: readonly TrailEntry[], evidenceId: string): boolean {
  const held = trail.findIndex(
    ({ type, data }) => type === "approval.held" && data.evidenceId === evidenceId,
  );
  return held >= 0 && trail.slice(held).some(({ type }) => type === "approval.taken_back");
}

/**
 * Whether the decision that this evidence proves was held, and by the log took effect before the end of that time, or not at
 * all. What names other evidence does not count.
 */
export function wasHeldLonger(trail: readonly TrailEntry[], evidenceId: string): boolean {
  const own = trail.filter(({ data }) => data.evidenceId === evidenceId);
  return own.some(({ type, data: { until } }, index) => {
    if (type !== "approval.held") return false;
    const later = own.slice(index).filter((each) => each.type !== "approval.held");
    return !later.some(({ at }) => at >= Date.parse(String(until)));
  });
}

/**
 * Whether a decision to let the call start is still held: by the log, it took effect before the end of that time, or not
 * at all. Only the tables' owner can write an entry with a time that is yet to come.
 */
export function isStillHeld(trail: readonly TrailEntry[]): boolean {
  const last = trail.findLastIndex(({ type }) => type === "approval.held" || type === "approval.taken_back");
  const hold = trail[last];
  if (hold?.type !== "approval.held") return false;
  const effect = trail.slice(last).find(({ type }) => approvalTypes.some((approved) => approved === type));
  return !(effect && effect.at >= Date.parse(String(hold.data.until)));
}

/** What a person has decided about a pending call by the log, and not taken back: their vote, or a held decision. */
export function standingType(trail: readonly TrailEntry[], personId: string): unknown {
  const last = trail.findLast(
    ({ type, actorId }) =>
      actorId === personId && ["approval.voted", "approval.held", "approval.taken_back"].includes(type),
  );
  return last?.type === "approval.taken_back" ? undefined : last?.data.type;
}

/**
 * When people could decide, in milliseconds since 1970: from the logged announcement, extended as often and by as much
 * as the rule allows. `undefined` if nothing was announced.
 */
export function openTimes(
  { timeoutMs, terms }: Pick<Approval, "timeoutMs" | "terms">,
  trail: readonly TrailEntry[],
): { from: number; until: number } | undefined {
  // Somebody with write access can add entries but not remove them, so only the earliest one counts.
  const announced = trail.filter(({ type }) => type === "approval.announced").map(({ at }) => at);
  if (announced.length === 0) return undefined;
  const from = Math.min(...announced);
  const maxMs = maxExtensionMs({ timeoutMs });
  const extensions = trail
    .filter(({ type }) => type === "approval.extended")
    .slice(0, terms.extensions)
    .map(({ data }) => Math.min(Number(data.byMs) || 0, maxMs));
  return { from, until: from + timeoutMs + extensions.reduce((sum, ms) => sum + ms, 0) };
}

/**
 * The time of what a person decides about a call: now, but not before the log lets them. If the database's clock has gone
 * back since then, a decision would otherwise precede the announcement of its call, or the escalation that named its person,
 * and would not count.
 */
export function decidedNow(trail: readonly TrailEntry[], now: Date): Date {
  const opened = trail.filter(({ type }) => type === "approval.announced" || type === "approval.escalated");
  return new Date(Math.max(now.getTime(), ...opened.map(({ at }) => at)));
}

/** True if the log has this signed vote of a person, and no later one by them. */
export function voteStands(trail: readonly TrailEntry[], voteId: string, principalId: string): boolean {
  const cast = trail.filter(
    ({ type, actorId }) =>
      actorId === principalId &&
      ["approval.voted", "approval.approved", "approval.denied", "approval.taken_back"].includes(type),
  );
  return isLast(cast, "voteId", voteId);
}

/** True if the log has this signed assignment, and no later one. */
export function assignmentStands(trail: readonly TrailEntry[], assignmentId: string): boolean {
  const made = trail.filter(({ type }) => type === "approval.assigned");
  return isLast(made, "assignmentId", assignmentId);
}

/** Copying an old token back into its row cannot remove later log entries. */
function isLast(entries: readonly TrailEntry[], field: string, id: string): boolean {
  const ids = entries.map(({ data }) => data[field]);
  const first = ids.indexOf(id);
  return first >= 0 && ids.slice(first).every((later) => later === id);
}
