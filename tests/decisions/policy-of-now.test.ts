import { ask, type Terms } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSignedDesk, type SignedDesk, withoutKey } from "../support/evidence/signed-desk.js";

// The approvers of a call must satisfy both the policy at its proposal and the policy at its start.

interface Change {
  what: string;
  call: Parameters<SignedDesk["propose"]>;
  approvedBy: readonly string[];
  /** The person to whom finance assigns the call before the approval. */
  passedTo?: string;
  now: Terms;
  starts: boolean;
}

const refund: Change["call"] = ["refund", { to: "A-1", amount: 80 }];
const pay: Change["call"] = ["pay", { to: "A-1", amount: 80 }];
const wire: Change["call"] = ["wire", { to: "A-1", amount: 80 }];
const finance = { roles: ["finance"] };

// The unit tests of `satisfies` have more kinds of terms.
const changes: Change[] = [
  {
    what: "does not start if the policy now names other approvers",
    call: refund,
    approvedBy: ["finance"],
    now: { approvers: { roles: ["lead"] } },
    starts: false,
  },
  {
    what: "starts if the policy now asks for two roles and both have approved",
    call: pay,
    approvedBy: ["finance", "lead"],
    now: { approvers: { roles: ["finance", "lead"] }, quorum: 2, distinctRoles: true },
    starts: true,
  },
  {
    what: "does not start if one of its two approvers may no longer approve",
    call: pay,
    approvedBy: ["finance", "lead"],
    now: { approvers: finance, quorum: 2 },
    starts: false,
  },
  {
    what: "does not start if a delegate approved it and the policy now forbids delegation",
    call: wire,
    passedTo: "lead",
    approvedBy: ["lead"],
    now: { approvers: finance },
    starts: false,
  },
  {
    what: "starts if a delegate approved it and the policy still permits delegation",
    call: wire,
    passedTo: "lead",
    approvedBy: ["lead"],
    now: { approvers: finance, delegable: true },
    starts: true,
  },
];

/** What a process without the key reads from rows alone: who approved, and for whom. */
const withoutProof = ["refund", "wire"];

describe.each([
  { how: "a signing key", countersign: {}, cases: changes },
  {
    ...{ how: "no signing key", countersign: withoutKey },
    cases: changes.filter(({ call: [tool] }) => withoutProof.includes(tool)),
  },
])("with $how, an approved call", ({ countersign, cases }) => {
  let desk: SignedDesk;
  beforeAll(async () => {
    desk = await openSignedDesk({ countersign });
  });
  afterAll(() => desk[Symbol.asyncDispose]());

  it.each(cases)("$what", async ({ call, approvedBy, passedTo, now, starts }) => {
    const { runId, approval } = await desk.propose(...call);
    await desk.harness.engine.stop();
    if (passedTo) expect((await desk.assign(approval.id, passedTo)).status).toBe(200);
    for (const token of approvedBy) {
      expect((await desk.decide(approval.id, "approve", { token })).status).toBe(200);
    }
    desk.redeploy({ [call[0]]: ask(now) });
    await desk.goOn(runId);
    expect(desk.startsOf(approval.id)).toHaveLength(starts ? 1 : 0);
    if (!starts) await desk.expectRefused(approval.id, "policy_changed");
    desk.redeploy({});
  });

  it("does not start if its requester approved it and the policy now forbids that", async () => {
    desk.redeploy({ refund: ask() });
    const { runId, approval } = await desk.propose(...refund);
    await desk.harness.engine.stop();
    expect((await desk.decide(approval.id, "approve", { token: "requester" })).status).toBe(200);
    desk.redeploy({ refund: ask({ requesterMayNotApprove: true }) });
    await desk.goOn(runId);
    expect(desk.startsOf(approval.id)).toEqual([]);
    await desk.expectRefused(approval.id, "policy_changed");
    desk.redeploy({});
  });
});
