import type { Principal } from "@countersign/policy/internal/shared/principal";
import { listsOf } from "../../approval/lists-of.js";
import { latestSnooze } from "../../approval/snooze.js";
import { maySee } from "../../approval/who-decides.js";
import { type DecisionSeen, shownCall } from "../decision-seen.js";
import type { SnoozeInput, SnoozeResult } from "../ports/approval-port.js";
import { jsonFromRow } from "../rows/row-to-json.js";
import { snoozes } from "../schema.js";
import type { Judgement } from "../verb.js";
import { comparedOnly, expiredFirst, openCall } from "./open-call.js";

/**
 * Puts a call aside for one person, at most until shortly before its deadline. It then is not in their list of calls to decide. It
 * is not a decision, so it is not in the audit log, and nobody else is notified.
 */
export function judgeSnooze(
  seen: DecisionSeen | undefined,
  { principal, until }: SnoozeInput,
): Judgement<SnoozeResult> {
  if (until === null) return endSnooze(seen, principal);
  const found = openCall(seen, principal);
  if (found.outcome !== "found") return { result: found };
  const { approval } = found;
  const { request, call } = found.seen;
  // Whoever has put it aside may choose another time.
  const isTheirs = listsOf({ ...approval, snoozes: [] }, principal).includes("for_you");
  if (!isTheirs) return { result: { outcome: "forbidden", approval } };
  const { tenantId, id: approvalId, expiresAt } = call.row;
  if (!expiresAt || expiresAt <= request.now) return expiredFirst(found.seen, approval);
  const latest = latestSnooze({ expiresAt });
  if (!latest || until <= request.now || until > latest) {
    return { result: { outcome: "invalid_snooze", approval } };
  }
  const own = { principalId: principal.id, until };
  return {
    result: {
      outcome: "snoozed",
      approval: shownCall({ ...found.seen, snoozes: [...othersOf(found.seen, principal), own] }),
    },
    changes: {
      ...comparedOnly(found.seen, until),
      snooze: jsonFromRow(snoozes, { approvalId, tenantId, ...own }),
    },
  };
}

/** Lets the call come back to the person. Ending it again, or after the decision, changes nothing. */
function endSnooze(seen: DecisionSeen | undefined, principal: Principal): Judgement<SnoozeResult> {
  const approval = seen && shownCall(seen);
  if (!approval || !maySee(approval, principal)) return { result: { outcome: "not_found" } };
  const others = othersOf(seen, principal);
  if (others.length === seen.snoozes.length) return { result: { outcome: "snoozed", approval } };
  return {
    result: { outcome: "snoozed", approval: shownCall({ ...seen, snoozes: others }) },
    changes: {
      ...comparedOnly(seen),
      snoozeEnds: { approvalId: approval.id, principalId: principal.id },
    },
  };
}

function othersOf({ snoozes }: DecisionSeen, { id }: Principal): DecisionSeen["snoozes"] {
  return snoozes.filter(({ principalId }) => principalId !== id);
}
