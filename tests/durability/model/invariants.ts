import type { ApprovalStatus } from "countersign";
import { expect } from "vitest";
import { type Row, type Tables, timeOf } from "./compare.js";
import { beginnings, diagram, isDecided, isOpen, needsVotes } from "./model.js";
import { callOf } from "./model-of-tables.js";

const decisionEntries = ["approval.approved", "approval.edited", "approval.denied", "approval.responded"];

/** The state that each type of audit entry records. */
const stateOf: Record<string, string> = {
  "approval.notified": "approved",
  "approval.granted": "approved",
  "approval.edited": "approved",
  "approval.denied_by_policy": "denied",
  "approval.announced": "pending",
};

/** States that no call has after its run has ended. */
const goesOn = new Set(["proposed", "pending", "approved"]);

/** Checks that the diagram has every transition. */
export function checkStates(states: Map<string, string[]>): void {
  for (const [id, all] of states) {
    const [first, ...others] = all as ApprovalStatus[];
    expect(beginnings).toContain(first);
    let before = first;
    for (const state of others) {
      expect(before && diagram[before], `${id}: ${all.join(" → ")}`).toContain(state);
      before = state;
    }
  }
}

/** Checks the invariants that hold for any order of acts. `starts` counts the claims that started each call's handler. */
export function checkTables(
  tables: Tables,
  states: Map<string, string[]>,
  starts: ReadonlyMap<string, number>,
  now: number,
): void {
  const { approvals, votes, requests, outbox, grants, entries } = tables;
  checkStates(states);
  for (const row of approvals) {
    const id = String(row.id);
    const about = entries.filter(({ approval }) => approval === id);
    const passed = states.get(id) ?? [];
    expect(loggedStates(about), id).toEqual(passed);
    expect(passed.includes("executing"), id).toBe(starts.has(id));
    checkDecision(row, about, votes);
    checkTime(row, about, now);
  }
  const ended = new Set(tables.ended_runs.map(({ run_id }) => run_id));
  const leftOpen = approvals.filter(({ run_id, status }) => ended.has(run_id) && goesOn.has(String(status)));
  expect(leftOpen.map(({ id }) => id)).toEqual([]);
  for (const { id, settled_at } of requests) {
    const own = approvals.filter(({ request_id }) => request_id === id);
    const asked = own.some((call) => states.get(String(call.id))?.[0] === "proposed");
    const open = own.some((call) => isOpen({ status: call.status as ApprovalStatus }));
    const due = outbox.some(({ request_id }) => request_id === id);
    if (open || settled_at !== null)
      expect({ [`${id} in the outbox`]: due }).toEqual({ [`${id} in the outbox`]: false });
    else if (asked) expect({ [`${id} in the outbox`]: due }).toEqual({ [`${id} in the outbox`]: true });
  }
  for (const grant of grants) checkGrant(grant, approvals, entries);
  checkTwins(approvals, now);
}

function loggedStates(entries: readonly Row[]): string[] {
  const known = new Set(Object.keys(diagram));
  return entries
    .map(({ type }) => stateOf[String(type)] ?? String(type).replace("approval.", ""))
    .filter((state) => known.has(state));
}

/** Checks that a call has one decision, by the principal in the audit log, and votes that suffice for it. */
function checkDecision(row: Row, entries: readonly Row[], votes: readonly Row[]): void {
  const call = callOf(row, votes);
  const decisions = entries.filter(({ type }) => decisionEntries.includes(String(type)));
  expect(decisions.length, call.id).toBeLessThanOrEqual(1);
  const [decision] = decisions;
  if (decision) expect(row.decided_by, call.id).toBe(decision.actor);
  const type = row.decision_type;
  if (decision && needsVotes(call) && (type === "approve" || type === "deny")) {
    expect({ [`${call.id} has the votes to ${type}`]: isDecided(call, type) }).toEqual({
      [`${call.id} has the votes to ${type}`]: true,
    });
  }
  if (
    call.status === "pending" &&
    row.held_until === null &&
    call.terms.escalation.length === 0 &&
    needsVotes(call)
  ) {
    expect([isDecided(call, "approve"), isDecided(call, "deny")], call.id).toEqual([false, false]);
  }
}

/** Checks that a call was decided before its end or expired after it, and extended only as its rule allows. */
function checkTime(row: Row, entries: readonly Row[], now: number): void {
  const { id, status, terms, announced_at, expires_at, decided_at, finished_at, grant_id } = row;
  const { extensions = 0 } = terms as { extensions?: number };
  const lengthened = entries
    .filter(({ type }) => type === "approval.extended")
    .map(({ data }) => data as { byMs: number });
  expect(lengthened.length, String(id)).toBe(row.extensions_used);
  expect(lengthened.length, String(id)).toBeLessThanOrEqual(extensions);
  if (announced_at === null) return;
  const end = timeOf(expires_at) ?? 0;
  const ms = lengthened.reduce((sum, { byMs }) => sum + byMs, Number(row.timeout_ms));
  expect(end - (timeOf(announced_at) ?? 0), String(id)).toBe(ms);
  if (decided_at !== null && grant_id === null) expect(timeOf(decided_at), String(id)).toBeLessThan(end);
  if (status === "expired" && decided_at === null) {
    expect(timeOf(finished_at), String(id)).toBeGreaterThanOrEqual(end);
    expect(now, String(id)).toBeGreaterThanOrEqual(end);
  }
}

/** Checks that the uses left and taken of a grant add up, and that each use covers one call. */
function checkGrant(grant: Row, approvals: readonly Row[], entries: readonly Row[]): void {
  const { id, uses_left, uses_taken, approval_id, rerun } = grant;
  expect(approvals.filter(({ grant_id }) => grant_id === id).length, String(id)).toBe(uses_taken);
  const created = entries.filter(
    ({ approval, type }) => approval === approval_id && type === "grant.created",
  );
  if (!rerun) expect(created, String(id)).toHaveLength(1);
  const [first] = created;
  const given = rerun ? 1 : (first?.data as { uses: number | null } | undefined)?.uses;
  expect(uses_left === null ? null : Number(uses_left) + Number(uses_taken), String(id)).toBe(given);
  if (uses_left !== null) expect(uses_left, String(id)).toBeGreaterThanOrEqual(0);
}

/** Checks that no two open approvals of a thread are about the same call. */
function checkTwins(approvals: readonly Row[], now: number): void {
  const waiting = approvals.filter(({ status, expires_at, created_at, timeout_ms }) => {
    const end = timeOf(expires_at) ?? (timeOf(created_at) ?? 0) + Number(timeout_ms);
    return isOpen({ status: status as ApprovalStatus }) && end > now;
  });
  const places = waiting.map(({ tenant_id, thread_id, call_hash }) =>
    JSON.stringify([tenant_id, thread_id, call_hash]),
  );
  expect(places).toHaveLength(new Set(places).size);
}
