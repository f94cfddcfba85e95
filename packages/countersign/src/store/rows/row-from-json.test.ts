import { describe, expect, it } from "vitest";
import type { Evidence } from "../../evidence/check-evidence.js";
import { engagedStop } from "../../testing/engaged-stop.js";
import { someApproval } from "../../testing/some-approval.js";
import { jsonRow, readPlus, rowOf, someGrant } from "../../testing/some-call-seen.js";
import type { VoteRow } from "../call-seen.js";
import { approvals, evidence, grants, stops, votes } from "../schema.js";
import { approvalFromRow } from "./approval-row.js";
import { rowsFromJson } from "./row-from-json.js";

const zones = [
  { offset: "+00:00", minutes: 0 },
  { offset: "+05:30", minutes: 330 },
  { offset: "-08:00", minutes: -480 },
];
const decided = {
  type: "approve" as const,
  decidedBy: "ada",
  roles: ["lead", "o'neil,x"],
  reason: 'Says "ok"',
};
const call = someApproval(
  {
    status: "interrupted",
    threadId: "thr_1",
    decision: { ...decided, decidedAt: readPlus(-120) },
    edited: { inputJson: '{"amount":0.30000000000000004}', digest: "b".repeat(64) },
    approvers: { roles: [], ids: ["ada"] },
    startedAt: readPlus(0),
    startedBy: "run_1",
    handlerKind: "once",
    finishedAt: readPlus(7),
    resolution: { outcome: "done", resolvedBy: "bo", note: null, resolvedAt: readPlus(1_500) },
    notify: ["slack:#finance"],
    policyContext: {
      principal: { id: "eve", roles: [] },
      profile: null,
      mcp: null,
      threadRules: [{ a: [1] }],
    },
  },
  { quorum: 2, undoable: true },
);
const vote: VoteRow = {
  ...{ approvalId: "apr_1", tenantId: "acme", principalId: "ada", type: "approve", roles: ["lead"] },
  ...{ onBehalfOf: "bo", onBehalfOfRoles: [], reason: null, votedAt: readPlus(-10), token: "a.b.c" },
  takenBackAt: null,
};
const proof: Evidence = {
  ...{ id: "evd_1", tenantId: "acme", approvalId: "apr_1", origin: "runtime-ui-confirm", via: null },
  ...{ decision: "approve", principalId: "ada", digest: call.digest, token: "a.b.c", keyId: "key_1" },
  ...{ createdAt: readPlus(-100), expiresAt: readPlus(86_400_000), consumedAt: null },
};
const budget = { amount: "amount", total: 0.3, each: null, unit: "EUR" };
const grant = someGrant({
  budget,
  authorSeesAll: true,
  usesLeft: 3,
  revokedAt: readPlus(1),
  revokedBy: "bo",
});

describe.each(zones)("a row as to_json writes it, in the zone $offset", (zone) => {
  it.each<[string, object, (json: Record<string, unknown>) => object]>([
    ["a call", rowOf(call), rowsFromJson(approvals)],
    ["a call with nothing decided", rowOf(someApproval()), rowsFromJson(approvals)],
    ["a vote", vote, rowsFromJson(votes)],
    ["a vote that was taken back", { ...vote, takenBackAt: readPlus(5) }, rowsFromJson(votes)],
    ["unused evidence", proof, rowsFromJson(evidence)],
    ["used evidence", { ...proof, consumedAt: readPlus(3) }, rowsFromJson(evidence)],
    ["a stop of a tenant", engagedStop, rowsFromJson(stops)],
    [
      "a released stop of all tenants",
      { ...engagedStop, tenantId: null, releasedAt: readPlus(9) },
      rowsFromJson(stops),
    ],
  ])("is the row of %s", (_, row, fromJson) => {
    expect(fromJson(jsonRow(row, zone))).toStrictEqual(row);
  });

  it("is the row of a grant, except for its exact sum", () => {
    const json = { ...jsonRow(grant, zone), spent: 12.5 };
    expect(rowsFromJson(grants)(json)).toStrictEqual({ ...grant, spent: "12.5" });
  });

  it("holds the approval that was written", () => {
    expect(approvalFromRow(rowsFromJson(approvals)(jsonRow(rowOf(call), zone)))).toStrictEqual(call);
  });
});

it("a column that the JSON does not have is null, and one of a later version is left out", () => {
  const { released_at: _, ...json } = jsonRow(engagedStop);
  expect(rowsFromJson(stops)({ ...json, added_later: 1 })).toStrictEqual(engagedStop);
});
