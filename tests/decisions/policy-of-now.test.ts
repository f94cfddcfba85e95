import { ask, type Terms } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSignedDesk, type SignedDesk, withoutKey } from "../support/evidence/signed-desk.js";

// Who approved must be enough by the policy of the proposal and by that of the start, with and without a key.

interface Change {
  what: string;
  call: Parameters<SignedDesk["propose"]>;
  approvedBy: readonly string[];
  /** Before the approval: somebody is let decide in finance's place. */
  passedTo?: string;
  now: Terms;
  starts: boolean;
}

const refund: Change["call"] = ["refund", { to: "A-1", amount: 80 }];
const pay: Change["call"] = ["pay", { to: "A-1", amount: 80 }];
const wire: Change["call"] = ["wire", { to: "A-1", amount: 80 }];
const finance = { roles: ["finance"] };
const both = { roles: ["finance", "lead"] };

const changes: Change[] = [
  {
    what: "other approvers",
    call: refund,
    approvedBy: ["finance"],
    now: { approvers: { roles: ["lead"] } },
    starts: false,
  },
  {
    what: "only somebody by name",
    call: refund,
    approvedBy: ["finance"],
    now: { approvers: { ids: ["boss"] } },
    starts: false,
  },
  {
    what: "the same person by name",
    call: refund,
    approvedBy: ["finance"],
    now: { approvers: { ids: ["finance"] } },
    starts: true,
  },
  { what: "more approvers", call: refund, approvedBy: ["finance"], now: { approvers: both }, starts: true },
  {
    what: "two people",
    call: refund,
    approvedBy: ["finance"],
    now: { approvers: both, quorum: 2 },
    starts: false,
  },
  {
    what: "the two people who voted",
    call: pay,
    approvedBy: ["finance", "lead"],
    now: { approvers: both, quorum: 2, distinctRoles: true },
    starts: true,
  },
  {
    what: "three people",
    call: pay,
    approvedBy: ["finance", "lead"],
    now: { approvers: both, quorum: 3 },
    starts: false,
  },
  {
    what: "two people of whom one has no say any more",
    call: pay,
    approvedBy: ["finance", "lead"],
    now: { approvers: finance, quorum: 2 },
    starts: false,
  },
  {
    what: "one person of the two",
    call: pay,
    approvedBy: ["finance", "lead"],
    now: { approvers: finance },
    starts: true,
  },
  {
    what: "that nobody passes it on",
    call: wire,
    passedTo: "lead",
    approvedBy: ["lead"],
    now: { approvers: finance },
    starts: false,
  },
  {
    what: "that it may be passed on",
    call: wire,
    passedTo: "lead",
    approvedBy: ["lead"],
    now: { approvers: finance, delegable: true },
    starts: true,
  },
  {
    what: "that it may be passed on, but by others",
    call: wire,
    passedTo: "lead",
    approvedBy: ["lead"],
    now: { approvers: { roles: ["boss"] }, delegable: true },
    starts: false,
  },
];

describe.each([
  { how: "a key", countersign: {} },
  { how: "no key", countersign: withoutKey },
])("with $how, a call is approved and the policy then asks for", ({ countersign }) => {
  let desk: SignedDesk;
  beforeAll(async () => {
    desk = await openSignedDesk({ countersign });
  });
  afterAll(() => desk[Symbol.asyncDispose]());

  it.each(changes)("$what", async ({ call, approvedBy, passedTo, now, starts }) => {
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

  it("that the requester approves nothing", async () => {
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
