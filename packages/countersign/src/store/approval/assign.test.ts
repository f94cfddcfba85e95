import { describe, expect, it } from "vitest";
import type { Approval, ApprovalTerms } from "../../approval/approval.js";
import { someApproval } from "../../testing/some-approval.js";
import { readAt, readPlus, trailEntry } from "../../testing/some-call-seen.js";
import {
  ada,
  approvedBy,
  ben,
  type SomeDecision,
  sealer,
  someDecisionSeen,
  writtenNow,
  writtenOpen,
} from "../../testing/some-decision-seen.js";
import type { Sealer } from "../evidence/sealing.js";
import type { AssignInput } from "../ports/approval-port.js";
import { judgeAssignment } from "./assign.js";

const notify = ["slack:#finance"];
const cid = { ...ben, id: "cid" };
const nobody = { assigneeId: null, assignedBy: null, assignedRoles: null, assignmentToken: null };
const toBen = { assigneeId: "ben", assignedBy: "ada", assignedRoles: ["lead"], assignmentToken: null };

const someCall = (parts: Partial<Approval> = {}, terms: Partial<ApprovalTerms> = {}) =>
  someApproval({ notify, ...approvedBy("lead"), ...parts }, { delegable: true, ...terms });
const assigning = (
  approval: Approval,
  input: Partial<AssignInput> = {},
  seen: Omit<SomeDecision, "approval"> = {},
  seals?: Sealer,
) =>
  judgeAssignment(
    someDecisionSeen({ approval, ...seen }),
    { approvalId: "apr_1", principal: ada, to: "ben", ...input },
    seals,
  );
const nameOf = (principalId: string, displayName: string) => ({
  ...{ approvalId: "apr_1", tenantId: "acme", principalId, displayName },
});
const entry = (data: object, actorId = "ada") => ({
  ...{ tenantId: "acme", approvalId: "apr_1", type: "approval.assigned", notify, actorId, data },
});

describe("an assignment", () => {
  it("is written with its entry and both names, and the call is no longer put aside by anybody", async () => {
    const principal = { ...ada, displayName: "Ada", authenticatedBy: "jwt" };
    const eve = { principalId: "eve", until: readPlus(60_000) };
    const viewers = [{ ...eve, displayName: null }];
    const seen = { viewers, snoozes: [eve], siblings: [{}] };
    expect(await assigning(someCall(), { principal, toName: "Ben\0" }, seen)).toEqual({
      result: { outcome: "assigned", approval: { ...someCall(), ...toBen, viewers } },
      changes: {
        ...writtenOpen,
        approvals: [{ id: "apr_1", version: "701", set: toBen }],
        names: [nameOf("ada", "Ada"), nameOf("ben", "Ben\ufffd")],
        snoozeEnds: { approvalId: "apr_1" },
        audited: [entry({ from: null, to: "ben", roles: ["lead"], via: "jwt" })],
      },
    });
  });

  it("can be removed, which names nobody else", async () => {
    const principal = { ...ada, displayName: "Ada" };
    const input = { principal, to: null, toName: "Nobody" };
    const { result, changes } = await assigning(someCall({ ...toBen, assignmentToken: "a.b.c" }), input);
    expect(result).toEqual({ outcome: "assigned", approval: someCall() });
    expect(changes?.approvals).toEqual([{ id: "apr_1", version: "701", set: nobody }]);
    expect(changes?.names).toEqual([nameOf("ada", "Ada")]);
    expect(changes?.audited).toEqual([entry({ from: "ben", to: null, roles: ["lead"] })]);
    const signed = await assigning(someCall(toBen), input, {}, sealer);
    expect(signed.changes?.audited).toMatchObject([{ data: { to: null, assignmentId: null } }]);
  });

  it("holds until the call expires", async () => {
    const { changes } = await assigning(someCall({ expiresAt: readPlus(5_000) }));
    expect(changes?.validUntil).toEqual(readPlus(4_999));
  });

  it("by a delegate is one by the first approver", async () => {
    const { changes } = await assigning(someCall(toBen), { principal: ben, to: "cid" });
    expect(changes?.approvals).toMatchObject([{ set: { ...toBen, assigneeId: "cid" } }]);
    expect(changes?.audited).toEqual([entry({ from: "ben", to: "cid", roles: ["support"] }, "ben")]);
  });
});

describe("an assignment that is repeated", () => {
  it("changes nothing, nor who has put the call aside", async () => {
    const snoozes = [{ principalId: "eve", until: readPlus(60_000) }];
    const approval = someCall(toBen);
    expect(await assigning(approval, {}, { snoozes })).toEqual({
      result: { outcome: "repeated", approval: { ...approval, snoozes } },
    });
    expect((await assigning(someCall(), { to: null }, {}, sealer)).result.outcome).toBe("repeated");
  });

  it("is one whoever made it, and may tell new names", async () => {
    const { result, changes } = await assigning(someCall({ ...toBen, assignedBy: "eve" }), { toName: "Ben" });
    expect(result.outcome).toBe("repeated");
    const { tenantId, judgedAt, validUntil } = writtenOpen;
    expect(changes).toEqual({
      ...{ tenantId, judgedAt, validUntil },
      approvals: [{ id: "apr_1", version: "701" }],
      names: [nameOf("ben", "Ben")],
      audited: [],
    });
  });
});

describe("a signed assignment", () => {
  it("says who acts for whom, and the log names it", async () => {
    const { changes } = await assigning(someCall(), {}, {}, sealer);
    const { set } = changes?.approvals[0] ?? {};
    const reading = await sealer.read("assignment", String(set?.assignmentToken));
    expect(reading).toMatchObject({
      ok: true,
      claims: {
        ...{ id: expect.stringMatching(/^asg_/), tenantId: "acme", approvalId: "apr_1" },
        ...{ digest: someCall().digest, to: "ben", principalId: "ada", iat: readAt.getTime() / 1000 },
        onBehalfOf: { id: "ada", roles: ["lead"] },
      },
    });
    const assignmentId = reading.ok && reading.claims.id;
    expect(changes?.audited).toEqual([entry({ from: null, to: "ben", assignmentId, roles: ["lead"] })]);
  });

  it("is repeated as long as it stands, and otherwise made again", async () => {
    const { changes } = await assigning(someCall(), {}, {}, sealer);
    const signed = someCall({ ...toBen, ...changes?.approvals[0]?.set } as Partial<Approval>);
    const trail = [trailEntry("approval.assigned", changes?.audited[0]?.data)];
    const again = async (approval: Approval, entries = trail) =>
      (await assigning(approval, {}, { trail: entries }, sealer)).result.outcome;
    expect(await again(signed)).toBe("repeated");
    expect(await again(signed, [])).toBe("assigned");
    expect(await again(someCall(toBen))).toBe("assigned");
  });

  it("is what lets a delegate assign the call, for the first approver", async () => {
    const { changes } = await assigning(someCall(), {}, {}, sealer);
    const signed = someCall({ ...toBen, ...changes?.approvals[0]?.set } as Partial<Approval>);
    const trail = [trailEntry("approval.assigned", changes?.audited[0]?.data)];
    const input = { principal: ben, to: "cid" };
    const { changes: next } = await assigning({ ...signed, assignedBy: "eve" }, input, { trail }, sealer);
    expect(next?.approvals).toMatchObject([{ set: { assigneeId: "cid", assignedBy: "ada" } }]);
    const unsigned = await assigning(someCall(toBen), input, { trail }, sealer);
    expect(unsigned).toEqual({ result: { outcome: "forbidden", approval: someCall(toBen) } });
  });
});

describe("a refused assignment", () => {
  const own = (requesterId: string, parts: Partial<Approval> = {}) =>
    someCall({ requesterId, ...parts }, { requesterMayNotApprove: true });
  const late = { expiresAt: readAt };

  it("comes before all others of a call that is not open", async () => {
    const input = { approvalId: "apr_9", principal: ada, to: "ben" };
    expect(await judgeAssignment(undefined, input, undefined)).toEqual({ result: { outcome: "not_found" } });
    expect((await assigning(own("ada", { status: "withdrawn" }))).result.outcome).toBe("withdrawn");
    expect((await assigning(own("cid"), { principal: cid })).result.outcome).toBe("forbidden");
  });

  it.each<[string, Approval, Partial<AssignInput>, outcome: string]>([
    ["leaves one's own call to others", own("ada", late), {}, "self_approval"],
    ["leaves nobody their own call", own("ben", late), {}, "self_approval"],
    ["lets an overdue call expire though it is a repetition", someCall({ ...toBen, ...late }), {}, "expired"],
  ])("%s", async (_, approval, input, outcome) => {
    expect((await assigning(approval, input)).result.outcome).toBe(outcome);
  });

  it("needs a signature before it names the deadline", async () => {
    const unsigned = someCall({ ...toBen, ...late });
    expect((await assigning(unsigned, { principal: ben }, {}, sealer)).result.outcome).toBe("forbidden");
  });

  it("lets an overdue call expire, wakes its run, and records no name", async () => {
    const { result, changes } = await assigning(someCall(late), { toName: "Ben" });
    expect(result).toMatchObject({ outcome: "expired", wakeUp: { requestId: "req_1" } });
    expect(changes).toMatchObject({ ...writtenNow, audited: [{ type: "approval.expired" }] });
    expect(changes).not.toHaveProperty("names");
  });
});
