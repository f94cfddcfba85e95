import { maxExtensionMs, minExtensionMs } from "../../approval/extension.js";
import { mustLeaveToOthers } from "../../approval/who-decides.js";
import { actedAs } from "../audit/audit.js";
import { type DecisionSeen, shownCall } from "../decision-seen.js";
import type { ExtendInput, ExtendResult } from "../ports/approval-port.js";
import type { Judgement } from "../verb.js";
import { expiredFirst, openCall } from "./open-call.js";

/**
 * Extends the time to decide. The waiting run needs no event: when its wait times out, it reads the database and waits
 * again.
 */
export function judgeExtension(
  seen: DecisionSeen | undefined,
  { principal, ...input }: ExtendInput,
): Judgement<ExtendResult> {
  const byMs = Math.round(input.byMs);
  const found = openCall(seen, principal);
  if (found.outcome !== "found") return { result: found };
  const { approval } = found;
  const { request, call } = found.seen;
  if (mustLeaveToOthers(approval, principal.id)) return { result: { outcome: "self_approval", approval } };
  const inRange = byMs >= minExtensionMs && byMs <= maxExtensionMs(approval);
  if (!inRange) return { result: { outcome: "invalid_extension", approval } };
  const { tenantId, id: approvalId, notify, expiresAt, extensionsUsed } = call.row;
  if (!expiresAt || expiresAt <= request.now) return expiredFirst(found.seen, approval);
  if (extensionsUsed >= approval.terms.extensions) {
    return { result: { outcome: "no_extension_left", approval } };
  }
  request.holdsUntil(expiresAt);
  const extendedTo = new Date(expiresAt.getTime() + byMs);
  call.change({ expiresAt: extendedTo, extensionsUsed: extensionsUsed + 1 });
  request.audited.push({
    tenantId,
    approvalId,
    type: "approval.extended",
    notify,
    actorId: principal.id,
    data: { byMs, expiresAt: extendedTo.toISOString(), ...actedAs(principal) },
  });
  return { result: { outcome: "extended", approval: shownCall(found.seen) }, changes: request.changes() };
}
