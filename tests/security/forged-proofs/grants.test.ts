import { hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import type { Approval, SigningKey } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type DeskTool,
  firstKey,
  keysInTheMiddle,
  openSignedDesk,
  type SignedDesk,
} from "../../support/evidence/signed-desk.js";

// As in rows.test.ts, for grants: a grant that is written, widened or revived by hand lets no call through. Each case has a
// tool of its own, because a grant counts for one tool.

interface Given {
  threadId: string;
  /** The approval that gave the grant. */
  approvalId: string;
  /** The approval of the call that was proposed beside it. */
  otherId: string;
}

interface Call {
  to: string;
  amount: number;
}

interface Forgery {
  what: string;
  /** The grant that finance gives with its approval of 80 to A-1; by default, none. */
  grant?: Record<string, unknown>;
  /** Another call of the tool, which finance approves with a grant for all. */
  beside?: Call;
  /** A call that the grant lets through before the forgery. */
  spent?: Call;
  forge(desk: SignedDesk, given: Given): Promise<unknown>;
  /** The call that the model proposes afterwards. */
  next: Call;
  /** Whether it does so in another thread. */
  elsewhere?: boolean;
}

const inAll = { scope: "team", arguments: "any", expiresIn: "8h" };
const budget = { amount: "amount", total: 100 };

const change =
  (set: string) =>
  (desk: SignedDesk, { approvalId }: Given) =>
    desk.sql.unsafe(`update countersign.grants set ${set} where approval_id = $1`, [approvalId]);

/** Writes a grant for a thread that nobody gave. */
const written =
  (columns: string, values: string) =>
  (desk: SignedDesk, { threadId, approvalId }: Given) =>
    desk.sql.unsafe(
      `insert into countersign.grants (id, tenant_id, scope, scope_id, tool_name, tool_version, summary, granted_by,
         granted_roles, approval_id, approver_roles, approver_ids, created_at, expires_at, ${columns})
       select 'forged-' || id, tenant_id, 'thread', $2, tool_name, tool_version, summary, 'finance',
         '{finance}', id, '{finance}', '{}', now(), now() + interval '1 day', ${values}
       from countersign.approvals where id = $1`,
      [approvalId, threadId],
    );

async function revoke(desk: SignedDesk, approvalId: string): Promise<void> {
  const [row] = await desk.sql`select id from countersign.grants where approval_id = ${approvalId}`;
  const answer = await desk.harness.call("finance", `/grants/${row?.id}/revoke`, { method: "POST" });
  expect(answer.status).toBe(200);
}

const forgeries: Forgery[] = [
  {
    what: "it is written by hand",
    forge: written("rerun", "false"),
    next: { to: "A-1", amount: 9000 },
  },
  {
    what: "it is written by hand as the rerun of an interrupted call",
    forge: written(
      "rerun, uses_left, input_hash",
      `true, 1, '${hashCanonical({ to: "A-1", amount: 9000 })}'`,
    ),
    next: { to: "A-1", amount: 9000 },
  },
  {
    what: "its scope is changed from one thread to the team",
    grant: { scope: "thread", arguments: "any" },
    forge: change("scope = 'team', scope_id = null"),
    next: { to: "A-1", amount: 80 },
    elsewhere: true,
  },
  {
    what: "it is changed from exact arguments to any",
    grant: { scope: "team", arguments: "exact" },
    forge: change("input_hash = null"),
    next: { to: "A-1", amount: 9000 },
  },
  {
    what: "its condition is widened",
    grant: { scope: "team", arguments: { when: "input.amount <= 80" } },
    forge: change("condition = 'input.amount <= 10000'"),
    next: { to: "A-1", amount: 9000 },
  },
  {
    what: "its revocation is undone",
    grant: inAll,
    async forge(desk, given) {
      await revoke(desk, given.approvalId);
      await change("revoked_at = null, revoked_by = null")(desk, given);
    },
    next: { to: "A-1", amount: 81 },
  },
  {
    what: "its uses are restored after the last one",
    grant: { ...inAll, uses: 1 },
    spent: { to: "A-1", amount: 82 },
    forge: change("uses_left = 5, uses_taken = 0"),
    next: { to: "A-1", amount: 83 },
  },
  {
    what: "its limit of uses is removed after the last one",
    grant: { ...inAll, uses: 1 },
    spent: { to: "A-1", amount: 84 },
    forge: change("uses_left = null"),
    next: { to: "A-1", amount: 85 },
  },
  {
    what: "its expiry is extended after it expired",
    grant: { ...inAll, expiresIn: "5m" },
    forge: change("expires_at = expires_at + interval '1 day'"),
    next: { to: "A-1", amount: 86 },
  },
  {
    what: "its budget is enlarged",
    grant: { ...inAll, budget },
    forge: change("budget = jsonb_set(budget, '{total}', '10000')"),
    next: { to: "A-1", amount: 9000 },
  },
  {
    what: "its budget is removed",
    grant: { ...inAll, budget },
    forge: change("budget = null"),
    next: { to: "A-1", amount: 9000 },
  },
  {
    what: "the maximum of each call is removed from its budget",
    grant: { ...inAll, budget: { ...budget, each: 10 } },
    forge: change("budget = jsonb_set(budget, '{each}', 'null')"),
    next: { to: "A-1", amount: 90 },
  },
  {
    what: "what its calls have spent is reset",
    grant: { ...inAll, budget },
    spent: { to: "A-1", amount: 60 },
    forge: change("spent = 0"),
    next: { to: "A-1", amount: 41 },
  },
  {
    what: "its grantor is changed",
    grant: inAll,
    forge: change("granted_by = 'lead', granted_roles = '{finance}'"),
    next: { to: "A-1", amount: 87 },
  },
  {
    what: "it gets the signature of a wider grant",
    grant: { scope: "thread", arguments: "exact" },
    beside: { to: "wide", amount: 1 },
    async forge(desk, { approvalId, otherId }) {
      await desk.sql`
        update countersign.grants set (token, scope, scope_id, input_hash) = (
          select token, scope, scope_id, input_hash from countersign.grants where approval_id = ${otherId})
        where approval_id = ${approvalId}`;
      await desk.sql`update countersign.grants set revoked_at = now() where approval_id = ${otherId}`;
    },
    next: { to: "A-1", amount: 89 },
  },
];

const untouched: Forgery = {
  what: "nothing is changed",
  grant: inAll,
  forge: async () => undefined,
  next: { to: "B-1", amount: 90 },
};

const cases = [...forgeries, untouched];
const toolOf = (at: number): DeskTool => `gift-${at}`;
const toolFor = ({ what }: Forgery) => toolOf(cases.findIndex((each) => each.what === what));

/** Has the model propose a call of each case, and returns them by what is forged. */
async function proposed(
  desk: SignedDesk,
  calls: readonly { forgery: Forgery; input: Call }[],
  thread?: string,
) {
  const { threadId, runId } = await desk.sayAll(
    calls.map(({ forgery, input }) => ({ name: toolFor(forgery), input })),
    thread,
  );
  const found = await desk.ofRun(runId, calls.length);
  const pairs = calls.map(({ forgery }, at): [string, Approval] => [forgery.what, found[at] as Approval]);
  return { threadId, runId, byCase: new Map(pairs) };
}

/** Gives the grants, forges something about each, and returns the calls that the model proposes afterwards. */
async function nextCalls(desk: SignedDesk, later: SigningKey) {
  const input = { to: "A-1", amount: 80 };
  const first = await proposed(
    desk,
    cases.map((forgery) => ({ forgery, input })),
  );
  const others = await proposed(
    desk,
    cases.flatMap((forgery) => (forgery.beside ? [{ forgery, input: forgery.beside }] : [])),
  );
  for (const { what, grant } of cases) {
    const { id = "" } = first.byCase.get(what) ?? {};
    expect((await desk.decide(id, "approve", grant ? { grant } : {})).status).toBe(200);
  }
  for (const { id } of others.byCase.values()) await desk.decide(id, "approve", { grant: inAll });
  await Promise.all([first, others].map(({ runId }) => desk.harness.ended(runId)));
  const spending = await proposed(
    desk,
    cases.flatMap((forgery) => (forgery.spent ? [{ forgery, input: forgery.spent }] : [])),
    first.threadId,
  );
  await desk.harness.ended(spending.runId);
  for (const [what, { grantId }] of spending.byCase)
    expect([what, grantId]).toEqual([what, expect.any(String)]);
  await desk.harness.clock.advance("6m");
  for (const { what, forge } of cases) {
    const [given, other] = [first, others].map(({ byCase }) => byCase.get(what)?.id ?? "");
    await forge(desk, { threadId: first.threadId, approvalId: given ?? "", otherId: other ?? "" });
  }
  desk.harness.redeploy({ signingKey: later });
  const next = async (elsewhere: boolean, thread?: string) =>
    proposed(
      desk,
      cases
        .filter((each) => (each.elsewhere ?? false) === elsewhere)
        .map((forgery) => ({ forgery, input: forgery.next })),
      thread,
    );
  const [there, here] = [await next(true), await next(false, first.threadId)];
  desk.harness.redeploy({ signingKey: firstKey });
  return new Map([...there.byCase, ...here.byCase]);
}

describe.each(keysInTheMiddle)("a grant signed with $keys", ({ later }) => {
  let desk: SignedDesk;
  let next: Map<string, Approval>;
  beforeAll(async () => {
    desk = await openSignedDesk({ gifts: cases.length });
    next = await nextCalls(desk, later);
  });
  afterAll(() => desk[Symbol.asyncDispose]());

  it.each(forgeries)("lets no call through when $what", ({ what }) => {
    expect(next.get(what)).toMatchObject({ status: "pending", grantId: null });
  });

  it("lets the next call through when nothing is changed", () => {
    expect(next.get(untouched.what)).toMatchObject({ status: "approved", grantId: expect.any(String) });
  });

  it("starts no call when it is forged between its use and the start", async () => {
    const gifts = [0, 1, 2].map((at) => ({ name: toolOf(at), input: { to: "C-1", amount: 91 } }));
    const refund = { name: "refund", input: { to: "C-2", amount: 92 } } as const;
    const first = await desk.sayAll(gifts);
    for (const { id } of await desk.ofRun(first.runId, gifts.length))
      await desk.decide(id, "approve", { grant: { scope: "thread", arguments: "any" } });
    await desk.harness.ended(first.runId);
    // A call that waits keeps the others from starting before something is changed.
    const again = gifts.map(({ name }) => ({ name, input: { to: "C-1", amount: 93 } }));
    const { runId } = await desk.sayAll([...again, refund], first.threadId);
    const calls = await desk.ofRun(runId, 4);
    expect(calls.map(({ status }) => status)).toEqual(["approved", "approved", "approved", "pending"]);
    const [widened, revived, kept, waiting] = calls as [Approval, Approval, Approval, Approval];
    await desk.harness.engine.stop();
    await desk.sql`update countersign.grants set condition = 'true' where id = ${widened.grantId}`;
    const revocation = `/grants/${revived.grantId}/revoke`;
    expect((await desk.harness.call("finance", revocation, { method: "POST" })).status).toBe(200);
    await desk.sql`
      update countersign.grants set revoked_at = null, revoked_by = null where id = ${revived.grantId}`;
    // Its row says that a grant has approved it.
    await desk.sql`
      update countersign.approvals set status = 'approved', decision_type = 'approve', decided_by = 'finance',
        decided_roles = '{finance}', decided_at = now(), decision_reason = 'Approved by a grant',
        grant_id = ${kept.grantId} where id = ${waiting.id}`;
    await desk.goOn(runId, later);
    for (const { id } of [widened, revived, waiting]) {
      expect(desk.startsOf(id)).toEqual([]);
      await desk.expectRefused(id, "evidence_invalid");
    }
    expect(desk.startsOf(kept.id)).toHaveLength(1);
  });
});
