import { expect, it } from "vitest";
import { engagedStop } from "../testing/engaged-stop.js";
import { someApproval } from "../testing/some-approval.js";
import {
  jsonRow,
  readAt,
  readPlus,
  rowOf,
  someCallSeen,
  someGrant,
  trailEntry,
} from "../testing/some-call-seen.js";
import { type CallSeen, callReading, type VoteRow } from "./call-seen.js";

const { parse, ...call } = callReading("apr_1");

const approval = someApproval({ status: "approved", grantId: "grt_1" });
const bare = someCallSeen(approval);
const vote: VoteRow = {
  ...{ approvalId: "apr_1", tenantId: "acme", principalId: "ada", type: "approve", roles: [], reason: null },
  ...{ onBehalfOf: null, onBehalfOfRoles: null, votedAt: readPlus(-1), token: null, takenBackAt: null },
};
const proof = {
  ...{ id: "evd_1", tenantId: "acme", approvalId: "apr_1", origin: "runtime-ui-confirm" as const, via: null },
  ...{ decision: "approve" as const, principalId: "ada", digest: "d", token: "a.b.c", keyId: "key_1" },
  ...{ createdAt: readPlus(-2), expiresAt: readPlus(2), consumedAt: null },
};
const full: CallSeen = {
  ...bare,
  ...{ settledAt: readPlus(-3), proof: { row: proof, version: "701" }, votes: [vote], stops: [engagedStop] },
  trail: [trailEntry("approval.approved", { evidenceId: "evd_1" })],
  grant: { row: someGrant({ spent: "0" }), spent: "0.10", entries: ["grant.created"] },
  undone: {
    row: rowOf(approval),
    version: "800",
    trail: [trailEntry("call.undone")],
    undos: [rowOf(approval)],
  },
};

/** What `read_call` returns. */
const fullJson = {
  ...{ row: jsonRow(bare.row), version: "700", now: readAt.getTime(), trail: full.trail },
  settledAt: "2026-01-02T08:39:59.997+05:30",
  ...{
    proof: { row: jsonRow(proof), version: "701" },
    votes: [jsonRow(vote)],
    stops: [jsonRow(engagedStop)],
  },
  grant: { row: jsonRow(someGrant()), spent: "0.10", entries: ["grant.created"] },
  undone: { ...full.undone, row: jsonRow(bare.row), undos: [jsonRow(bare.row)] },
};
const nothing = { settledAt: null, proof: null, votes: null, stops: null, grant: null, undone: null };

it("a call is read by its id", () => {
  expect(call).toEqual({ kind: "call", id: "apr_1" });
});

it.each<[string, object | null, CallSeen | undefined]>([
  ["no call", null, undefined],
  ["all about a call", fullJson, full],
  ["a call about which there is nothing", { ...fullJson, ...nothing, trail: [] }, bare],
  [
    "a grant and an undo without entries",
    { ...fullJson, grant: { ...fullJson.grant, entries: null }, undone: { ...fullJson.undone, undos: null } },
    {
      ...full,
      grant: full.grant && { ...full.grant, entries: [] },
      undone: full.undone && { ...full.undone, undos: [] },
    },
  ],
])("%s is read from the database's JSON", (_, json, seen) => {
  expect(parse(json)).toStrictEqual(seen);
});
