import { describe, expect, it } from "vitest";
import type { Approval, Decision } from "../../approval/approval.js";
import { someApproval } from "../../testing/some-approval.js";
import { jsonRow, readAt, readPlus, trailEntry } from "../../testing/some-call-seen.js";
import {
  ada,
  approvedBy,
  type SomeDecision,
  someDecisionSeen,
  someVote,
  writtenNow,
  writtenOpen,
} from "../../testing/some-decision-seen.js";
import type { StoredHold } from "../ports/stored-hold.js";
import { voteOf } from "../rows/read-approval.js";
import { judgeTakeBack } from "./hold.js";

const notify = ["slack:#finance"];
const call = someApproval(
  { notify },
  { countedIn: [{ tool: "issue_refund", amount: "amount", per: "tenant" }] },
);
const { digest } = call;
const stored: StoredHold = {
  ...{ type: "approve", reason: null, responseJson: null, edited: null, round: 1, evidence: null },
  ...{ decidedBy: "ada", roles: ["lead"], decidedAt: readPlus(-1_000).toISOString() },
};
const noHold = { held: null, heldUntil: null };
const nothing = { outcome: "taken_back", approval: call, wakeUp: undefined };

/** A row that holds a decision, for five more seconds. */
const held = (parts: Partial<StoredHold> = {}, ms = 5_000) => ({
  ...{ held: { ...stored, ...parts }, heldUntil: readPlus(ms) },
});

/** What Ada takes back. */
const takingBack = (seen: SomeDecision, principal = ada) =>
  judgeTakeBack(someDecisionSeen({ approval: call, ...seen }), { approvalId: "apr_1", principal });

const entry = (data: object, to: string[]) => ({
  ...{ tenantId: "acme", approvalId: "apr_1", type: "approval.taken_back", notify: to, actorId: "ada" },
  data: { digest, roles: ["lead"], ...data },
});

describe("a held decision that is taken back", () => {
  it("is no longer in the row, and the call is no longer put aside", () => {
    const eve = { principalId: "eve", until: readPlus(60_000) };
    const viewers = [{ ...eve, displayName: null }];
    const snoozes = [{ ...eve, principalId: "ada" }, eve];
    const principal = { ...ada, authenticatedBy: "jwt", displayName: "Ada" };
    expect(takingBack({ row: held(), siblings: [{}], viewers, snoozes }, principal)).toEqual({
      result: { ...nothing, approval: { ...call, viewers, snoozes: [eve] } },
      changes: {
        ...writtenOpen,
        validUntil: readPlus(4_999),
        approvals: [{ id: "apr_1", version: "701", set: noHold }],
        snoozeEnds: { approvalId: "apr_1", principalId: "ada" },
        audited: [entry({ type: "approve", via: "jwt" }, [])],
      },
    });
  });

  it("was an edit: the call counts again as it was proposed", () => {
    const edited = { inputJson: '{"amount":8}', digest: "e" };
    const { changes } = takingBack({ row: held({ type: "edit", edited }) });
    expect(changes?.counted).toMatchObject({ approvalId: "apr_1", tenantId: "acme", rows: [{ amount: 80 }] });
    expect(changes?.audited).toMatchObject([{ data: { type: "edit" } }]);
    expect(takingBack({ row: held() }).changes).not.toHaveProperty("counted");
  });

  it("was made by a vote, which is taken back with it", () => {
    const { result, changes } = takingBack({ row: held(), votes: [someVote("ben"), someVote("ada")] });
    expect(changes?.approvals).toMatchObject([{ set: noHold }]);
    expect(changes?.vote).toMatchObject({ principal_id: "ada", taken_back_at: readAt });
    expect(result).toMatchObject({ approval: { held: null, votes: [{ principalId: "ben" }] } });
    expect(changes?.validUntil).toEqual(readPlus(4_999));
  });

  it("leaves a call whose time is over: it expires, with others, and wakes the run", () => {
    const expired = { status: "expired", finishedAt: readAt };
    const siblings = [{ expiresAt: readAt }, { status: "denied" as const }];
    const { result, changes } = takingBack({ row: { ...held(), expiresAt: readAt }, siblings });
    expect(result).toMatchObject({
      outcome: "taken_back",
      approval: { status: "expired", held: null },
      wakeUp: { requestId: "req_1" },
    });
    expect(changes?.request).toEqual(writtenNow.request);
    expect(changes?.approvals.map(({ set }) => set)).toEqual([{ ...noHold, ...expired }, expired]);
    expect(changes?.audited.map(({ approvalId, type }) => [approvalId, type])).toEqual([
      ["apr_1", "approval.taken_back"],
      ["apr_1", "approval.expired"],
      ["apr_2", "approval.expired"],
    ]);
  });
});

describe("a vote that is taken back", () => {
  it("stays as a row without its reason and signature, and messages change", () => {
    const own = someVote("ada", { type: "deny", reason: "no", token: "a.b.c" });
    const other = someVote("ben");
    expect(takingBack({ votes: [own, other] })).toEqual({
      result: { ...nothing, approval: { ...call, votes: [voteOf(other)] } },
      changes: {
        ...writtenOpen,
        approvals: [{ id: "apr_1", version: "701", set: noHold }],
        vote: {
          ...{ ...jsonRow(own), voted_at: own.votedAt },
          ...{ taken_back_at: readAt, reason: null, token: null },
        },
        snoozeEnds: { approvalId: "apr_1", principalId: "ada" },
        audited: [entry({ type: "deny" }, notify)],
      },
    });
  });
});

describe("a decision that the row does not have", () => {
  const made = trailEntry("approval.held", { type: "deny" });

  it.each<[string, SomeDecision]>([
    ["is gone", {}],
    ["is not readable", { row: { held: "changed", heldUntil: readPlus(5_000) } }],
  ])("is taken back by the log if it %s", (_, seen) => {
    const { result, changes } = takingBack({ ...seen, trail: [made] });
    expect(result).toEqual(nothing);
    expect(changes?.approvals).toEqual([{ id: "apr_1", version: "701", set: noHold }]);
    expect(changes?.audited).toEqual([entry({ type: "deny" }, [])]);
    expect(changes).not.toHaveProperty("vote");
  });

  it.each<[string, SomeDecision]>([
    ["nobody has made one", {}],
    ["somebody else has", { trail: [{ ...made, actorId: "ben" }] }],
    ["it was taken back before", { trail: [made, trailEntry("approval.taken_back")] }],
  ])("is nothing to take back if %s", (_, seen) => {
    expect(takingBack(seen)).toEqual({ result: nothing });
  });
});

describe("what cannot be taken back", () => {
  const decidedBy = (by: string | null, parts: Partial<Approval> = {}) => {
    const decision: Decision = { type: "approve", decidedBy: by, roles: [], reason: null, decidedAt: readAt };
    return { approval: someApproval({ ...call, status: "approved", decision, ...parts }) };
  };
  const having = (parts: Partial<Approval>) => ({ approval: someApproval({ ...call, ...parts }) });

  it.each<[string, SomeDecision, result: object]>([
    ["a call that is not announced", having({ status: "proposed" }), { outcome: "not_open" }],
    ["a call that has expired", having({ status: "expired" }), { outcome: "expired", wakeUp: undefined }],
    ["a withdrawn call", having({ status: "withdrawn" }), { outcome: "withdrawn", wakeUp: undefined }],
    ["what has taken effect", decidedBy("ada"), { outcome: "too_late" }],
    ["what has run", decidedBy("ada", { status: "executed" }), { outcome: "too_late" }],
    ["a vote for it", { ...decidedBy("ben"), votes: [someVote("ada")] }, { outcome: "too_late" }],
    [
      "what somebody else decided",
      { ...decidedBy("ben"), votes: [someVote("ben")] },
      { outcome: "forbidden" },
    ],
    ["what the policy decided", decidedBy(null, { status: "denied" }), { outcome: "forbidden" }],
    ["what takes effect now", { row: held({}, 0) }, { outcome: "too_late" }],
    ["what somebody else has held", { row: held({ decidedBy: "ben" }, 0) }, { outcome: "forbidden" }],
  ])("is %s", (_, seen, result) => {
    const judged = takingBack(seen);
    expect(judged).toEqual({ result: { approval: expect.objectContaining({ id: "apr_1" }), ...result } });
  });

  it("is what the person does not find", () => {
    const notFound = { result: { outcome: "not_found" } };
    expect(judgeTakeBack(undefined, { approvalId: "apr_9", principal: ada })).toEqual(notFound);
    expect(takingBack({ row: held() }, { ...ada, tenantId: "globex" })).toEqual(notFound);
    expect(takingBack({ approval: someApproval(approvedBy("cfo")), row: held() })).toEqual(notFound);
  });
});
