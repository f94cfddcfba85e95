import type { Principal } from "@countersign/policy/internal/shared/principal";
import { describe, expect, it } from "vitest";
import type { Decision } from "../../approval/approval.js";
import { argumentsHash } from "../../approval/approval-digest.js";
import { saltedHash } from "../../evidence/salted-hash.js";
import { engagedStop } from "../../testing/engaged-stop.js";
import { someApproval } from "../../testing/some-approval.js";
import { readAt, readPlus, trailEntry } from "../../testing/some-call-seen.js";
import {
  ada,
  approvedBy,
  ben,
  deciding,
  type SomeDecision,
  sealer,
  writtenNow,
} from "../../testing/some-decision-seen.js";
import type { SomeCall } from "../../testing/some-request-seen.js";
import type { DecideInput } from "../ports/approval-port.js";
import { judgeDecision } from "./decide.js";

const notify = ["slack:#finance"];
const call = someApproval({ notify }, { decisions: ["approve", "edit", "deny", "respond"] });
const { digest } = call;
const edited = { inputJson: '{"orderId":"A-1001","amount":8}', digest: "e".repeat(64) };
const decidedColumns = {
  ...{ responseJson: null, editedInputJson: null, editedDigest: null },
  ...{ decidedBy: "ada", decidedRoles: ["lead"], decisionReason: null, decidedAt: readAt },
};
const isOver = readPlus(-1);
const queued = writtenNow.request.set;

const entryOf = (type: string, parts: object) => ({
  ...{ tenantId: "acme", approvalId: "apr_1", type: `approval.${type}`, notify },
  ...parts,
});

describe("a call that cannot be decided", () => {
  const secret = someApproval({ ...call, ...approvedBy("cfo") });

  it.each<[string, Partial<DecideInput>]>([
    ["of another tenant", { principal: { ...ada, tenantId: "globex" } }],
    ["that the person may not see", {}],
  ])("is not found if it is one %s", async (_, input) => {
    expect(await deciding(secret, input)).toEqual({ result: { outcome: "not_found" } });
  });

  it("is not found if there is none", async () => {
    const input = { approvalId: "apr_9", principal: ada, type: "approve", digest, reason: null } as const;
    expect(await judgeDecision(undefined, input, undefined)).toEqual({ result: { outcome: "not_found" } });
  });

  it("is shown to people who may see it", async () => {
    const own = someApproval({ ...secret, requesterId: "ada" });
    expect(await deciding(own)).toEqual({ result: { outcome: "forbidden", approval: own } });
  });

  it("may be stopped, which changes nothing", async () => {
    const { result, changes } = await deciding(call, {}, { stops: [engagedStop] });
    expect([result.outcome, changes]).toEqual(["stopped", undefined]);
    const other = { ...engagedStop, tool: "send_*" };
    expect((await deciding(call, {}, { stops: [other] })).result.outcome).toBe("decided");
  });
});

describe("a decision", () => {
  const hashed = { responseHash: saltedHash(call, '"later"') };

  it.each<
    [
      Decision["type"],
      Partial<DecideInput>,
      type: string,
      set: { status: string; [column: string]: unknown },
      data: object,
    ]
  >([
    ["approve", {}, "approved", { status: "approved" }, {}],
    ["deny", {}, "denied", { status: "denied" }, {}],
    [
      "edit",
      { edited },
      "edited",
      {
        ...{ status: "approved", editedInputJson: edited.inputJson, editedDigest: edited.digest },
        argumentsHash: argumentsHash({ ...call, ...edited }),
      },
      { editedDigest: edited.digest },
    ],
    [
      "respond",
      { responseJson: '"later"' },
      "responded",
      { status: "responded", responseJson: '"later"' },
      hashed,
    ],
  ])("to %s is written with its entry, and wakes the run", async (type, input, entry, columns, data) => {
    const set = { ...decidedColumns, decisionType: type, ...columns };
    expect(await deciding(call, { type, ...input })).toEqual({
      result: {
        outcome: "decided",
        approval: {
          ...call,
          status: set.status,
          responseJson: input.responseJson ?? null,
          edited: input.edited ?? null,
          decision: { type, decidedBy: "ada", roles: ["lead"], reason: null, decidedAt: readAt },
        },
        wakeUp: { requestId: "req_1" },
      },
      changes: {
        ...writtenNow,
        approvals: [{ id: "apr_1", version: "701", set }],
        audited: [
          entryOf(entry, { actorId: "ada", data: { digest, roles: ["lead"], ...data }, waitedMs: 359_000 }),
        ],
      },
    });
  });

  it("has its reason in the row, and in the log only its hash, with how the person was authenticated", async () => {
    const principal = { ...ada, authenticatedBy: "jwt" };
    const { changes } = await deciding(call, { reason: "fine", principal });
    expect(changes?.approvals).toMatchObject([{ set: { decisionReason: "fine" } }]);
    const data = { digest, roles: ["lead"], via: "jwt", reasonHash: saltedHash(call, "fine") };
    expect(changes?.audited[0]?.data).toEqual(data);
  });

  it.each<
    [string, SomeCall[], Exclude<SomeDecision["request"], undefined>, set: object, isComplete: boolean]
  >([
    ["wakes the run if all others have ended", [{ status: "denied" }], {}, queued, true],
    ["leaves that to a call that waits", [{}], {}, {}, false],
    ["leaves that to a call that will wait", [{ status: "denied" }, { status: "proposed" }], {}, {}, false],
    ["wakes nobody if the request has settled", [], { settledAt: isOver }, {}, true],
    ["wakes nobody if nothing waits", [], { runId: null, appId: null }, {}, true],
  ])("%s", async (_, siblings, request, set, isComplete) => {
    const { result, changes } = await deciding(call, {}, { siblings, request });
    expect(result).toMatchObject({ outcome: "decided" });
    expect(changes?.request).toEqual({ ...writtenNow.request, set, isComplete });
    expect(changes?.approvals).toMatchObject([{ id: "apr_1" }]);
    expect("wakeUp" in result && result.wakeUp).toEqual(set === queued ? { requestId: "req_1" } : undefined);
  });

  it("holds until the call expires", async () => {
    const { changes } = await deciding(someApproval({ ...call, expiresAt: readPlus(10_000) }));
    expect(changes?.validUntil).toEqual(readPlus(9_999));
  });

  it.each(["approval.announced", "approval.escalated"])(
    "is no earlier than the entry %s if the clock has gone back",
    async (type) => {
      const trail = [trailEntry(type, {}, 2_000), trailEntry("approval.extended", {}, 9_000)];
      const { changes } = await deciding(call, {}, { trail });
      expect(changes?.approvals).toMatchObject([{ set: { decidedAt: readPlus(2_000) } }]);
      expect(changes?.audited).toMatchObject([
        { data: { decidedAt: readPlus(2_000).toISOString() }, waitedMs: 361_000 },
      ]);
    },
  );

  it("clears a held one that is not readable", async () => {
    const row = { held: "changed", heldUntil: readPlus(5_000) };
    const { changes } = await deciding(call, {}, { row });
    const set = { ...decidedColumns, decisionType: "approve", status: "approved" };
    expect(changes?.approvals).toEqual([
      { id: "apr_1", version: "701", set: { ...set, held: null, heldUntil: null } },
    ]);
  });

  it("that was recorded is repeated, and nothing is written", async () => {
    const decision: Decision = {
      type: "approve",
      decidedBy: "ada",
      roles: [],
      reason: null,
      decidedAt: isOver,
    };
    const approved = someApproval({ ...call, status: "approved", decision });
    const principal = { ...ada, displayName: "Ada" };
    expect(await deciding(approved, { principal })).toEqual({
      result: { outcome: "repeated", approval: approved, wakeUp: undefined },
    });
  });
});

describe("what is written with a decision", () => {
  const counted = { countedIn: [{ tool: "issue_refund", amount: "amount", per: "tenant" }] };
  const limited = someApproval({ notify }, { ...call.terms, ...counted });

  it("is the person's name, as far as it can be stored", async () => {
    const named = async (principal: Principal) => (await deciding(call, { principal })).changes?.names;
    expect(await named({ ...ada, displayName: "Ada\0" })).toEqual([
      { approvalId: "apr_1", tenantId: "acme", principalId: "ada", displayName: "Ada\ufffd" },
    ]);
    expect(await named(ada)).toBeUndefined();
  });

  it("is what an edited call amounts to, if limits count it", async () => {
    const edit = { type: "edit", edited } as const;
    expect((await deciding(limited, edit)).changes?.counted).toEqual({
      ...{ approvalId: "apr_1", tenantId: "acme" },
      rows: [{ counter: expect.stringMatching(/^[0-9a-f]{64}$/), amount: 8 }],
    });
    expect((await deciding(call, edit)).changes).not.toHaveProperty("counted");
    expect((await deciding(limited)).changes).not.toHaveProperty("counted");
  });
});

describe("a call whose time is over", () => {
  const expired = { status: "expired", finishedAt: readAt };
  const late = someApproval({ ...call, expiresAt: readAt });

  it("expires instead, with the others whose time is over, and wakes the run", async () => {
    const input = { principal: { ...ada, displayName: "Ada" } };
    expect(await deciding(late, input, { siblings: [{ expiresAt: isOver }, { status: "denied" }] })).toEqual({
      result: {
        outcome: "expired",
        approval: { ...late, status: "expired" },
        wakeUp: { requestId: "req_1" },
      },
      changes: {
        ...writtenNow,
        approvals: [
          { id: "apr_1", version: "701", set: expired },
          { id: "apr_2", version: "702", set: expired },
        ],
        audited: [entryOf("expired", {}), { ...entryOf("expired", {}), approvalId: "apr_2" }],
      },
    });
  });

  it("wakes nobody while another one waits", async () => {
    const { result, changes } = await deciding(late, {}, { siblings: [{}] });
    expect(result).toMatchObject({ outcome: "expired", wakeUp: undefined });
    expect(changes?.request).toEqual({ ...writtenNow.request, set: {}, isComplete: false });
    expect(changes?.approvals).toMatchObject([{ id: "apr_1" }]);
  });
});

describe("a call whose row was changed", () => {
  const changed = someApproval({ ...call, digest: "c".repeat(64) });

  it("is withdrawn, and wakes the run", async () => {
    const set = { status: "withdrawn", withdrawalCause: "digest_changed", finishedAt: readAt };
    const { result, changes } = await deciding(changed, { principal: { ...ada, displayName: "Ada" } });
    expect(result).toEqual({
      outcome: "digest_changed",
      approval: { ...changed, ...set },
      wakeUp: { requestId: "req_1" },
    });
    expect(changes).toEqual({
      ...writtenNow,
      approvals: [{ id: "apr_1", version: "701", set: { ...set, held: null, heldUntil: null } }],
      audited: [entryOf("withdrawn", { data: { cause: "digest_changed" } })],
    });
  });

  it("wakes nobody while another one waits", async () => {
    const { result, changes } = await deciding(changed, {}, { siblings: [{}] });
    expect(result).toMatchObject({ outcome: "digest_changed", wakeUp: undefined });
    expect(changes?.request).toEqual({ ...writtenNow.request, set: {}, isComplete: false });
    expect(changes?.approvals).toMatchObject([{ id: "apr_1" }]);
  });
});

describe("a signed decision", () => {
  const claimsOf = async (token: unknown) => {
    const reading = await sealer.read("evidence", String(token));
    return reading.ok ? reading.claims : reading;
  };

  it("has its evidence, which the log names, until an hour after the last call could be decided", async () => {
    const siblings = [{ expiresAt: readPlus(7_200_000) }, { status: "denied" }] satisfies SomeCall[];
    const principal = { ...ada, authenticatedBy: "jwt" };
    const { changes } = await deciding(call, { reason: "fine", principal }, { siblings }, sealer);
    const [proof] = changes?.proofs ?? [];
    const until = readPlus(10_800_000).toISOString();
    expect(proof).toEqual({
      ...{ id: expect.stringMatching(/^evd_/), tenant_id: "acme", approval_id: "apr_1", digest },
      ...{ decision: "approve", principal_id: "ada", origin: "runtime-ui-confirm", via: "jwt" },
      ...{ token: expect.any(String), key_id: sealer.keyId, created_at: readAt, expires_at: new Date(until) },
      consumed_at: null,
    });
    expect(changes?.audited[0]?.data).toEqual({
      ...{ digest, roles: ["lead"], via: "jwt", reasonHash: saltedHash(call, "fine") },
      ...{ evidenceId: proof?.id, keyId: sealer.keyId, proofUntil: until },
    });
    const claims = await claimsOf(proof?.token);
    expect(claims).toMatchObject({ id: proof?.id, decision: "approve", digest, roles: ["lead"], via: "jwt" });
    expect(claims).not.toHaveProperty("nbf");
  });

  it("is about the changed arguments, of an edit", async () => {
    const { changes } = await deciding(call, { type: "edit", edited }, {}, sealer);
    expect(await claimsOf(changes?.proofs?.[0]?.token)).toMatchObject({
      ...{ decision: "edit", digest: edited.digest },
    });
  });
});

describe("a delegate's decision", () => {
  const assigned = someApproval(
    {
      ...{ notify, ...approvedBy("lead") },
      ...{ assigneeId: "ben", assignedBy: "ada", assignedRoles: ["lead"] },
    },
    { delegable: true },
  );

  it("is made on behalf of whoever delegated it", async () => {
    const { result, changes } = await deciding(assigned, { principal: ben });
    expect(result.outcome).toBe("decided");
    expect(changes?.audited).toMatchObject([{ actorId: "ben", data: { onBehalfOf: "ada" } }]);
    expect((await deciding(assigned)).changes?.audited[0]?.data).not.toHaveProperty("onBehalfOf");
  });

  it("needs a signed assignment if there is a key, which its evidence repeats", async () => {
    expect(await deciding(assigned, { principal: ben }, {}, sealer)).toEqual({
      result: { outcome: "forbidden", approval: assigned },
    });
    const claims = {
      ...{ id: "asg_1", tenantId: "acme", approvalId: "apr_1", digest: assigned.digest, iat: 1 },
      ...{ to: "ben", principalId: "ada", onBehalfOf: { id: "ada", roles: ["lead"] } },
    };
    const { token } = await sealer.seal("assignment", claims);
    const trail = [trailEntry("approval.assigned", { assignmentId: "asg_1" })];
    const signed = { ...assigned, assignmentToken: token };
    const { changes } = await deciding(signed, { principal: ben }, { trail }, sealer);
    expect(changes?.audited).toMatchObject([{ actorId: "ben", data: { onBehalfOf: "ada" } }]);
    const reading = await sealer.read("evidence", String(changes?.proofs?.[0]?.token));
    expect(reading).toMatchObject({ claims: { principalId: "ben", onBehalfOf: claims.onBehalfOf } });
  });
});
