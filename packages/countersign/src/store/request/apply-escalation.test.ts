import { describe, expect, it } from "vitest";
import { readAt, readPlus } from "../../testing/some-call-seen.js";
import { type SomeCall, someRequest } from "../../testing/some-request-seen.js";
import type { StoredHold } from "../ports/stored-hold.js";
import { applyEscalation } from "./apply-escalation.js";

const reminder = (afterMs: number) => ({ afterMs, escalateTo: [] });
const escalation = (afterMs: number, ...escalateTo: string[]) => ({ afterMs, escalateTo });

/** The changes of a call that was announced a minute ago. */
function applied(call: SomeCall) {
  const request = someRequest([{ announcedAt: readPlus(-60_000), ...call }]);
  applyEscalation(request);
  return request.changes();
}

const call: SomeCall = { approverRoles: ["support"], proposedRoles: ["support"] };

describe("a call", () => {
  it("gets each step that is due, and an entry for each", () => {
    const terms = {
      escalation: [reminder(20_000), escalation(40_000, "lead", "audit"), escalation(60_000, "cfo")],
    };
    const changes = applied({ ...call, terms });
    const set = { escalationSteps: 3, approverRoles: ["audit", "cfo", "lead", "support"] };
    const about = { tenantId: "acme", approvalId: "apr_1", notify: ["slack:#finance"] };
    expect(changes?.approvals).toEqual([{ id: "apr_1", version: "701", set }]);
    expect(changes?.audited).toEqual([
      { ...about, type: "approval.reminded", data: { step: 0 } },
      { ...about, type: "approval.escalated", data: { step: 1, roles: ["lead", "audit"] } },
      { ...about, type: "approval.escalated", data: { step: 2, roles: ["cfo"] } },
    ]);
  });

  it.each<[string, steps: number, afterMs: number[], due: number[]]>([
    ["no step before its time", 0, [60_001], []],
    ["a step exactly at its time", 0, [60_000, 60_001], [0]],
    ["no step twice", 2, [10_000, 20_000, 30_000, 70_000], [2]],
    ["no step if all were applied", 2, [10_000, 20_000], []],
  ])("gets %s", (_, escalationSteps, times, due) => {
    const changes = applied({ escalationSteps, terms: { escalation: times.map(reminder) } });
    expect(changes?.audited.map(({ data }) => data?.step) ?? []).toEqual(due);
  });

  it.each<[string, roles: string[], ids: string[], escalateTo: string[], become: string[]]>([
    ["unites and sorts the roles", ["support", "lead"], [], ["lead", "cfo"], ["cfo", "lead", "support"]],
    ["names a role beside people", [], ["ada"], ["cfo"], ["cfo"]],
    ["names nobody if nobody was named", [], [], ["cfo"], []],
    ["keeps the roles with a reminder", ["support", "lead"], [], [], ["support", "lead"]],
  ])("%s", (_, approverRoles, approverIds, escalateTo, become) => {
    const terms = { escalation: [escalation(1_000, ...escalateTo)] };
    const changes = applied({ approverRoles, approverIds, terms });
    expect(changes?.approvals).toMatchObject([{ set: { escalationSteps: 1, approverRoles: become } }]);
  });

  const held: StoredHold = {
    ...{ type: "deny", decidedBy: "ada", roles: [], reason: null, decidedAt: readAt.toISOString() },
    ...{ round: 1, responseJson: null, edited: null, evidence: null },
  };

  it.each<[string, SomeCall]>([
    ["is held", { held, heldUntil: readPlus(5_000) }],
    ["was not announced", { status: "proposed" }],
    ["has ended", { status: "denied" }],
    ["has no time of its announcement", { announcedAt: null }],
    ["has no steps", { terms: {} }],
  ])("gets no step if it %s", (_, parts) => {
    const terms = { escalation: [escalation(1_000, "lead")] };
    expect(applied({ ...call, terms, ...parts })).toBeUndefined();
  });
});
