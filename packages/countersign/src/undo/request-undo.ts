import { inboxPlace } from "@countersign/policy/internal/policy/rules/rule";
import { isOpen } from "@countersign/policy/internal/shared/approval-status";
import { CountersignError, errorTable } from "@countersign/policy/internal/shared/errors";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval } from "../approval/approval.js";
import { whyNotUndoable } from "../approval/undo-window.js";
import { mayDecide, maySee, mustLeaveToOthers } from "../approval/who-decides.js";
import type { Runtime } from "../call/run/runtime.js";
import { wrongPlace } from "../decision/approval-or-error.js";
import type { Decide } from "../decision/decide.js";
import { requireStorable } from "../decision/require-storable.js";
import { maxUndone } from "./max-undone.js";
import { proposeUndo, type Wish } from "./propose-undo.js";

/** A person's wish to take back a call that has run. */
export interface UndoRequest {
  /** The verified person. They must have the right to decide the call. */
  principal: Principal;
  /** The call to undo. */
  approvalId: string;
  /** The digest of that call, as it was shown. */
  digest: string;
  /** Why, for the audit log. @default none */
  reason?: string | null;
  /** Where the person asks: a channel's name. @default "inbox", which includes the API */
  place?: string;
}

/** A call to undo, and its digest as it was shown. */
export type UndoneCall = Pick<UndoRequest, "approvalId" | "digest">;

/** A person's wish to take back several calls. */
export interface UndoManyRequest extends Omit<UndoRequest, keyof UndoneCall> {
  /** At most 50, each once, in any order. */
  calls: readonly UndoneCall[];
}

/** Milliseconds during which the start of an undo is sent again: the engine ignores its event for longer than that. */
const recentMs = 3_600_000;

/** The result of a request to undo a call: its undo, which is a call of its own, or why there is none. */
export type UndoResult = { approvalId: string } & (
  | { ok: true; undo: Approval }
  | { ok: false; error: CountersignError }
);

/**
 * Undoes one call, see {@link requestUndos}.
 *
 * @returns the undo, a call of its own; that of an earlier request if there is one that may still undo the call
 */
export async function requestUndo(
  runtime: Runtime,
  decide: Decide,
  { approvalId, digest, ...asked }: UndoRequest,
): Promise<Approval> {
  const [result] = await requestUndos(runtime, decide, { ...asked, calls: [{ approvalId, digest }] });
  if (result?.ok) return result.undo;
  throw result?.error ?? new Error("unreachable: each call has a result");
}

/**
 * Proposes the undos of calls under the policy for `<tool>.undo`, and approves them in the name of the person who asks, as
 * far as they may. Then they run outside of this process, that of the latest call first. A call that cannot be undone is
 * left, and holds up no other.
 *
 * @returns a result for each call, in the order of the request
 */
export async function requestUndos(
  runtime: Runtime,
  decide: Decide,
  { calls, principal, reason = null, place = inboxPlace }: UndoManyRequest,
): Promise<UndoResult[]> {
  requireStorable("reason", reason);
  if (calls.length > maxUndone) {
    throw new CountersignError(
      "invalid_request",
      `calls: has ${calls.length} calls; the most is ${maxUndone}`,
    );
  }
  const by = { principal, reason, place };
  const read = await Promise.all(
    calls.map(async ({ approvalId }) => await runtime.store.getApproval(principal.tenantId, approvalId)),
  );
  const latestFirst = calls
    .map((shown, at) => ({ shown, at, call: read[at] }))
    .sort((one, other) => endOf(other.call) - endOf(one.call) || other.at - one.at);
  const results: { at: number; result: UndoResult }[] = [];
  let after: string | null = null;
  for (const { at, shown, call } of latestFirst) {
    const result: UndoResult = await undoOne(runtime, decide, { ...by, shown, row: call, after }).catch(
      (error: unknown) => {
        // What was asked for before this failure goes on, so the caller must learn of it.
        if (after === null || !CountersignError.isInstance(error)) throw error;
        return { approvalId: shown.approvalId, ok: false as const, error };
      },
    );
    results.push({ at, result });
    if (!result.ok || !mayStart(result.undo)) continue;
    after = result.undo.id;
    // An earlier request has started its own, unless that got lost, and the relay has not started it yet.
    const now = await runtime.store.now();
    const isRecent = now.getTime() - result.undo.createdAt.getTime() < recentMs;
    if (isRecent) await runtime.startUndo(result.undo.requestId);
  }
  return results.sort((one, other) => one.at - other.at).map(({ result }) => result);
}

function endOf(call: Approval | undefined): number {
  return call?.finishedAt?.getTime() ?? 0;
}

function mayStart({ status }: Approval): boolean {
  return isOpen(status) || status === "approved";
}

/** Who asks, why, and where. */
interface By {
  principal: Principal;
  reason: string | null;
  place: string;
}

async function undoOne(
  runtime: Runtime,
  decide: Decide,
  { shown, row, after, ...by }: By & { shown: UndoneCall; row: Approval | undefined; after: string | null },
): Promise<UndoResult> {
  const { approvalId } = shown;
  const { principal, reason, place } = by;
  try {
    checkRight(row, principal);
    const call = await asSigned(runtime, row);
    checkRight(call, principal);
    if (!call.terms.decideIn.includes(place)) throw wrongPlace(call);
    if (call.digest !== shown.digest) {
      throw new CountersignError(
        "digest_mismatch",
        "digest: the call differs from the one you were shown. Reload it, review it, and send its current digest",
      );
    }
    const earlier = await undoOf(runtime, call);
    const isUnderWay = earlier && isAnswerFor(principal, earlier);
    const why = isUnderWay ? undefined : whyNotUndoable(call, earlier);
    if (why !== undefined) throw new CountersignError("not_undoable", why);
    const proposed = isUnderWay ? earlier : await proposeFirst(runtime, call, { principal, reason, after });
    const undo = await announced(runtime, proposed);
    return { approvalId, ok: true, undo: await decideOwn(runtime, decide, undo, by) };
  } catch (error) {
    if (!CountersignError.isInstance(error) || errorTable[error.code].status >= 500) throw error;
    return { approvalId, ok: false, error };
  }
}

/** The call that ran, whatever somebody has written into its row. One that has not run cannot be undone, and is not signed. */
async function asSigned({ store, signer }: Runtime, row: Approval): Promise<Approval> {
  if (row.status !== "executed") return row;
  const call = await store.readAsSigned(row.tenantId, row.id, signer);
  if (call) return call;
  throw new CountersignError(
    "digest_changed",
    "The stored call is not the one that ran, so it cannot be undone. Ask an operator to verify the audit log",
  );
}

/** The latest undo of a call. */
async function undoOf({ store }: Runtime, call: Approval): Promise<Approval | undefined> {
  const undo = call.undoId === null ? undefined : await store.getApproval(call.tenantId, call.undoId);
  return undo?.terms.undoes?.approvalId === call.id ? undo : undefined;
}

/** Whether an undo is what a person gets who asks for one: it may still start, or is running at their own wish. */
function isAnswerFor({ id }: Principal, undo: Approval): boolean {
  return mayStart(undo) || (undo.status === "executing" && undo.terms.undoes?.askedBy === id);
}

/** Proposes the undo of a call. If somebody does so at the same moment, or the same person twice, all get the same one. */
async function proposeFirst(runtime: Runtime, call: Approval, wish: Wish): Promise<Approval> {
  try {
    return await proposeUndo(runtime, call, wish);
  } catch (error) {
    if (!CountersignError.isInstance(error) || error.code !== "not_undoable") throw error;
    const now = await runtime.store.getApproval(call.tenantId, call.id);
    const first = now && now.undoId !== call.undoId ? await undoOf(runtime, now) : undefined;
    if (first) return first;
    throw error;
  }
}

function checkRight(call: Approval | undefined, principal: Principal): asserts call is Approval {
  if (!call || !maySee(call, principal)) {
    throw new CountersignError("not_found", "The approval does not exist, or you may not see it");
  }
  if (!mayDecide(call, principal)) {
    throw new CountersignError("forbidden", "You may see this call but not undo it", {
      detail: { approvers: call.approvers },
    });
  }
  if (mustLeaveToOthers(call, principal.id)) {
    throw new CountersignError("self_approval", "You requested this call, so someone else must undo it");
  }
}

/** Opens an undo for decisions. The one who asked first may not have done so yet, or may have died before. */
async function announced({ store }: Runtime, undo: Approval): Promise<Approval> {
  if (undo.status !== "proposed") return undo;
  const calls = await store.announce(undo.requestId);
  return calls.find(({ id }) => id === undo.id) ?? undo;
}

/** The person who asks for an undo approves it, as far as they may. Otherwise it waits for others. */
async function decideOwn(
  { store }: Runtime,
  decide: Decide,
  undo: Approval,
  { principal, reason, place }: By,
): Promise<Approval> {
  const mayApprove =
    undo.status === "pending" &&
    mayDecide(undo, principal) &&
    !mustLeaveToOthers(undo, principal.id) &&
    undo.terms.decisions.includes("approve") &&
    undo.terms.decideIn.includes(place);
  if (!mayApprove || undo.votes.some(({ principalId }) => principalId === principal.id)) return undo;
  try {
    return await decide({
      approvalId: undo.id,
      principal,
      type: "approve",
      digest: undo.digest,
      reason,
      place,
    });
  } catch (error) {
    // Somebody else was faster.
    if (!CountersignError.isInstance(error) || error.code !== "already_decided") throw error;
    return (await store.getApproval(undo.tenantId, undo.id)) ?? undo;
  }
}
