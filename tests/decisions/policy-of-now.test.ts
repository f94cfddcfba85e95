import { ask, type Terms } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  approvedBy,
  assigned,
  type Ended,
  type Forgery,
  forgeAll,
  placeOf,
} from "../support/evidence/forging.js";
import { deskRules, openSignedDesk, type SignedDesk, withoutKey } from "../support/evidence/signed-desk.js";

// The approvers of a call must satisfy both the policy at its proposal and the policy at its start.

interface Change extends Forgery {
  tool: keyof typeof deskRules;
  /** The rule at the proposal. @default that of the desk */
  before?: Terms;
  now: Terms;
  starts: boolean;
}

const finance = { roles: ["finance"] };
const both = { roles: ["finance", "lead"] };
const byFinance = { tool: "refund", steps: [approvedBy("finance")] } as const;
const byBoth = { tool: "pay", steps: [approvedBy("finance", "lead")] } as const;
const byDelegate = { tool: "wire", steps: [assigned("lead"), approvedBy("lead")] } as const;

const changes: Change[] = [
  {
    ...byFinance,
    what: "does not start if the policy now names other approvers",
    now: { approvers: { roles: ["lead"] } },
    starts: false,
  },
  {
    ...byFinance,
    what: "does not start if the policy now names only another person",
    now: { approvers: { ids: ["boss"] } },
    starts: false,
  },
  {
    ...byFinance,
    what: "starts if the policy now names its approver by id",
    now: { approvers: { ids: ["finance"] } },
    starts: true,
  },
  {
    ...byFinance,
    what: "starts if the policy now names more approvers",
    now: { approvers: both },
    starts: true,
  },
  {
    ...byFinance,
    what: "does not start if the policy now asks for two approvals",
    now: { approvers: both, quorum: 2 },
    starts: false,
  },
  {
    ...byBoth,
    what: "starts if the policy now asks for two roles and both have approved",
    now: { approvers: both, quorum: 2, distinctRoles: true },
    starts: true,
  },
  {
    ...byBoth,
    what: "does not start if the policy now asks for three approvals and two people approved",
    now: { approvers: both, quorum: 3 },
    starts: false,
  },
  {
    ...byBoth,
    what: "does not start if one of its two approvers may no longer approve",
    now: { approvers: finance, quorum: 2 },
    starts: false,
  },
  {
    ...byBoth,
    what: "starts if the policy now asks for only one of its two approvers",
    now: { approvers: finance },
    starts: true,
  },
  {
    ...byDelegate,
    what: "does not start if a delegate approved it and the policy now forbids delegation",
    now: { approvers: finance },
    starts: false,
  },
  {
    ...byDelegate,
    what: "starts if a delegate approved it and the policy still permits delegation",
    now: { approvers: finance, delegable: true },
    starts: true,
  },
  {
    ...byDelegate,
    what: "does not start if a delegate approved it and the policy now names other approvers",
    now: { approvers: { roles: ["boss"] }, delegable: true },
    starts: false,
  },
  {
    what: "does not start if its requester approved it and the policy now forbids that",
    tool: "refund",
    steps: [approvedBy("requester")],
    before: {},
    now: { requesterMayNotApprove: true },
    starts: false,
  },
];

/** Each call is judged by the rule of its change. */
function rulesOf(ruleOf: (change: Change) => ReturnType<typeof ask>) {
  const judge = ({ input }: { input: object }) => {
    const change = changes[placeOf(input)];
    if (!change) throw new Error("unreachable");
    return ruleOf(change);
  };
  return { refund: judge, pay: judge, wire: judge };
}

describe.each([
  { how: "a signing key", countersign: {} },
  { how: "no signing key", countersign: withoutKey },
])("with $how, an approved call", ({ countersign }) => {
  let desk: SignedDesk;
  let ended: Ended;
  beforeAll(async () => {
    desk = await openSignedDesk({ countersign });
    desk.redeploy(rulesOf(({ before, tool }) => (before ? ask(before) : deskRules[tool])));
    ended = await forgeAll(desk, changes, {
      meanwhile: () => desk.redeploy(rulesOf(({ now }) => ask(now))),
    });
  });
  afterAll(() => desk[Symbol.asyncDispose]());

  it.each(changes)("$what", async ({ what, starts }) => {
    expect(desk.startsOf(ended.idOf(what))).toHaveLength(starts ? 1 : 0);
    if (!starts) await desk.expectRefused(ended.idOf(what), "policy_changed");
  });
});
