import { ask, deny, manual } from "countersign";
import { createEvidenceSigner } from "countersign/evidence";
import { pgliteStore } from "countersign/pglite";
import { describe, expect, it } from "vitest";
import {
  approveWithGrant,
  exactGrant,
  grantableTerms,
  liveGrants,
  openGrantDesk,
  refundCall,
} from "../support/agents/grant-desk.js";
import { finance, giveBudget, hundred, proposeOne, proposeSpending, usedOf } from "../support/budgets.js";
import { callsOf } from "../support/calls-from-message.js";
import { everyDatabase, freshPostgres } from "../support/databases.js";
import { eventually } from "../support/harness.js";
import { postgresStore, type Store, storeVerbs } from "../support/store.js";

const hour = 3_600_000;
const asApproved = () => undefined;
const statuses = (calls: readonly { status: string }[]) => calls.map(({ status }) => status);
const budgetOfHundred = {
  scope: "team" as const,
  arguments: "any" as const,
  budget: { amount: "amount", total: 100, unit: "EUR" },
};

/** A store whose time a test moves. */
async function openStore(open: (typeof everyDatabase)[number]["open"] = freshPostgres) {
  const database = await open();
  const time = { offset: 0 };
  const clockOffset = () => time.offset;
  const store: Store =
    database.kind === "pglite"
      ? storeVerbs(pgliteStore({ client: database.pglite, clockOffset }))
      : postgresStore({ client: database.postgres, clockOffset });
  await store.migrate();
  return { store, time, database, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

describe.each(everyDatabase)("a budget of 100 on $name", ({ open }) => {
  it("lets five calls of 19 through, one after the other, and asks for the sixth", async () => {
    await using opened = await openStore(open);
    const { store } = opened;
    const grantId = await giveBudget(store, hundred);
    for (let calls = 1; calls <= 5; calls += 1) {
      const call = await proposeOne(store, 19);
      expect(call).toMatchObject({ status: "approved", grantId, overBudget: null });
      expect((await store.claim(call.id, "once", asApproved)).outcome).toBe("claimed");
      await store.finish(call.id, { status: "executed", outcomeJson: "{}" });
      expect(await usedOf(store, grantId)).toBe(19 * calls);
    }
    expect(await proposeOne(store, 19)).toMatchObject({
      status: "proposed",
      grantId: null,
      overBudget: { grantId, total: 100, used: 95, each: null, unit: "EUR", amount: 19 },
    });
    // What is left is still there for a smaller call.
    expect(await proposeOne(store, 5)).toMatchObject({ status: "approved" });
    expect(await usedOf(store, grantId)).toBe(100);
  });

  it("lets five of six calls of 19 in one response through, in their order", async () => {
    await using opened = await openStore(open);
    const { store } = opened;
    const grantId = await giveBudget(store, hundred);
    const calls = await proposeSpending(store, [19, 19, 19, 19, 19, 19]);
    expect(statuses(calls)).toEqual([...Array(5).fill("approved"), "proposed"]);
    expect(calls.at(-1)?.overBudget).toMatchObject({ used: 95, amount: 19 });
    expect(await usedOf(store, grantId)).toBe(95);
  });

  it("adds exactly, where floating point would not", async () => {
    await using opened = await openStore(open);
    const { store } = opened;
    await giveBudget(store, { ...hundred, total: 0.3 });
    const calls = await proposeSpending(store, [0.1, 0.2, 1e-20]);
    expect(statuses(calls)).toEqual(["approved", "approved", "proposed"]);
  });
});

describe("a budget", () => {
  it("lets no call through that spends more than it allows each", async () => {
    await using opened = await openStore();
    const grantId = await giveBudget(opened.store, { ...hundred, each: 20 });
    const calls = await proposeSpending(opened.store, [20, 20.01]);
    expect(statuses(calls)).toEqual(["approved", "proposed"]);
    expect(calls[1]?.overBudget).toEqual({
      grantId,
      total: 100,
      used: 20,
      each: 20,
      unit: "EUR",
      amount: 20.01,
    });
  });

  it("covers no call without an amount that people can see, and says nothing about it", async () => {
    await using opened = await openStore();
    const { store } = opened;
    await giveBudget(store, hundred);
    const calls = await proposeSpending(store, ["19", -19, null, { value: 19 }, [19]]);
    expect(calls.every(({ status, overBudget }) => status === "proposed" && overBudget === null)).toBe(true);
    const terms = { grantable: ["team" as const] };
    const hidden = [{ redact: ["amount"] }, { redact: ["*"] }, { redactPatterns: ["19"] }];
    for (const hiding of hidden) {
      const call = await proposeOne(store, 19, { terms: { ...terms, ...hiding } });
      expect(call).toMatchObject({ status: "proposed", overBudget: null });
    }
    expect(await proposeOne(store, 19)).toMatchObject({ status: "approved" });
  });

  it("gets back what a call would have spent that is withdrawn or expires before its start", async () => {
    await using opened = await openStore();
    const { store, time } = opened;
    const grantId = await giveBudget(store, hundred);
    await proposeOne(store, 60, { runId: "cancelled" });
    const late = await proposeOne(store, 40);
    expect(await usedOf(store, grantId)).toBe(100);
    await store.withdrawRun("cancelled", "run_cancelled");
    expect(await usedOf(store, grantId)).toBe(40);
    await store.settle(late.requestId, 0);
    time.offset = 25 * hour;
    await store.sweep();
    expect(await store.getApproval("acme", late.id)).toMatchObject({ status: "expired" });
    expect(await usedOf(store, grantId)).toBe(0);
    expect(await proposeOne(store, 100)).toMatchObject({ status: "approved" });
  });

  it.each([
    ["ran", { status: "executed", outcomeJson: "{}" }],
    ["failed", { status: "failed", outcomeJson: "{}" }],
    ["was interrupted", { status: "interrupted" }],
  ] as const)("keeps what a call has spent that %s", async (_end, end) => {
    await using opened = await openStore();
    const { store } = opened;
    const grantId = await giveBudget(store, hundred);
    const call = await proposeOne(store, 60);
    await store.claim(call.id, "once", asApproved);
    await store.finish(call.id, end);
    expect(await usedOf(store, grantId)).toBe(60);
    expect(await proposeOne(store, 41)).toMatchObject({ status: "proposed" });
  });

  it.each([
    ["any arguments", false],
    ["exactly these arguments", true],
  ])("counts an interrupted call once if it runs again, with a grant for %s", async (_what, exact) => {
    await using opened = await openStore();
    const { store } = opened;
    const grantId = await giveBudget(store, { ...hundred, total: 200 }, { exact });
    const input = { id: "A-1", amount: 80 };
    const [call] = await proposeSpending(store, [80], { inputOf: () => input });
    if (!call) throw new Error("unreachable");
    expect(call.grantId).toBe(grantId);
    await store.claim(call.id, "idempotent", asApproved);
    await store.finish(call.id, { status: "interrupted" });
    const rerun = { approvalId: call.id, principal: finance, outcome: "rerun" as const, note: null };
    expect((await store.resolve(rerun)).outcome).toBe("resolved");
    const [again] = await proposeSpending(store, [80], { inputOf: () => input });
    expect(again).toMatchObject({ status: "approved" });
    expect(again?.grantId).not.toBe(grantId);
    expect((await store.claim(again?.id ?? "", "idempotent", asApproved)).outcome).toBe("claimed");
    expect(await usedOf(store, grantId)).toBe(80);
  });

  it("does not count the call that it was given with", async () => {
    await using desk = await openGrantDesk();
    const { approval } = await desk.grant(refundCall(80), budgetOfHundred);
    const [grant] = await liveGrants(desk.harness);
    expect(grant).toMatchObject({
      approvalId: approval.id,
      budget: { amount: "amount", total: 100, each: null, unit: "EUR", used: 0 },
    });
    await desk.harness.ended((await desk.harness.say(refundCall(100))).runId);
    expect((await liveGrants(desk.harness))[0]).toMatchObject({ budget: { used: 100 } });
  });

  it("is recorded once if the same decision is sent again, and not if it has another budget", async () => {
    await using desk = await openGrantDesk();
    const { approval } = await desk.grant(refundCall(80), budgetOfHundred);
    const send = (budget: object) => approveWithGrant(desk.harness, approval, { ...budgetOfHundred, budget });
    expect((await send(budgetOfHundred.budget)).status).toBe(200);
    expect((await send({ ...budgetOfHundred.budget, total: 101 })).body.code).toBe("already_decided");
    const [entry] = (await desk.harness.store.auditTrail("acme", approval.id)).filter(
      ({ type }) => type === "grant.created",
    );
    expect(entry?.data.budget).toEqual({ amount: "amount", total: 100, each: null, unit: "EUR" });
  });
});

describe("giving a budget", () => {
  it("fails for an invalid one, and names the field", async () => {
    await using desk = await openGrantDesk();
    const { harness } = desk;
    const { runId } = await harness.say(refundCall(80));
    const approval = await harness.onlyPending();
    const { budget } = budgetOfHundred;
    const refusals: [object, string, string][] = [
      [{ ...budget, total: 0 }, "invalid_request", "grant.budget.total"],
      [{ ...budget, total: "100" }, "invalid_request", "grant.budget.total"],
      [{ ...budget, each: -1 }, "invalid_request", "grant.budget.each"],
      [{ ...budget, each: 101 }, "invalid_request", "grant.budget.each"],
      [{ ...budget, unit: "" }, "invalid_request", "grant.budget.unit"],
      [{ total: 100 }, "invalid_request", "grant.budget.amount"],
      [{ ...budget, spent: -5 }, "invalid_request", "grant.budget.spent"],
      [{ ...budget, amount: "order.total" }, "invalid_grant", "grant.budget.amount"],
      [{ ...budget, amount: "id" }, "invalid_grant", "grant.budget.amount"],
    ];
    for (const [invalid, code, field] of refusals) {
      const { body } = await approveWithGrant(harness, approval, { ...exactGrant, budget: invalid });
      expect(body).toMatchObject({ status: 400, code, detail: expect.stringContaining(field) });
    }
    expect(await harness.approval(approval.id)).toMatchObject({ status: "pending" });
    await harness.decide(approval, "deny");
    await harness.ended(runId);
  });

  it("fails in the same words if the rule hides the argument, or it has no amount", async () => {
    await using desk = await openGrantDesk({
      refund: { refund: ask({ ...grantableTerms, redact: ["amount", "id"] }) },
    });
    const { harness } = desk;
    const { runId } = await harness.say(refundCall(80));
    const approval = await harness.onlyPending();
    const answers = [];
    for (const amount of ["amount", "id", "missing"]) {
      const grant = { ...exactGrant, budget: { amount, total: 100 } };
      answers.push((await approveWithGrant(harness, approval, grant)).body.detail);
    }
    expect(new Set(answers).size).toBe(1);
    await harness.decide(approval, "deny");
    await harness.ended(runId);
  });
});

describe("a budget under a changed policy", () => {
  const strict = {
    "denies the call": { rule: deny("Not today"), becomes: "denied" },
    "wants people to answer the call": { rule: manual(), becomes: "pending" },
    "asks for two approvals": { rule: ask({ ...grantableTerms, quorum: 2 }), becomes: "pending" },
    "permits no grants": { rule: ask({ approvers: grantableTerms.approvers }), becomes: "pending" },
  };

  it.each(Object.entries(strict))(
    "covers nothing if the policy %s",
    async (_what, { rule: next, becomes }) => {
      let rule: ReturnType<typeof ask | typeof deny | typeof manual> = ask(grantableTerms);
      await using desk = await openGrantDesk({ refund: { refund: () => rule } });
      const { harness } = desk;
      await desk.grant(refundCall(80), budgetOfHundred);
      rule = next;
      const { runId } = await harness.say(refundCall(1));
      const call = await harness.onceAtRest(async () => {
        const calls = await harness.store.listApprovals({ tenantId: "acme", limit: 9 });
        return calls.find((found) => found.runId === runId && found.status === becomes);
      }, `the call is ${becomes}`);
      // Nothing but the policy keeps it from running, so the budget is no reason.
      expect(call).toMatchObject({ grantId: null, overBudget: null });
      if (becomes === "pending") await harness.decide(call, "deny");
      await harness.ended(runId);
      expect(desk.effects).toHaveLength(1);
    },
  );
});

it("a call whose budget is used up before its start is withdrawn, and the model reads that it may ask again", async () => {
  await using desk = await openGrantDesk({ refund: { refund: ask(grantableTerms), email: ask({}) } });
  const { harness, database } = desk;
  if (database.kind !== "postgres") throw new Error("unreachable");
  await desk.grant(refundCall(80), budgetOfHundred);
  const email = { name: "email", input: { to: "a@b.c", text: "Hello" } };
  const { runId } = await harness.say(callsOf({ name: "refund", input: { id: "A-1", amount: 80 } }, email));
  const waiting = await harness.onlyPending();
  await database.admin`update countersign.grants set spent = 30`;
  await harness.decide(waiting, "approve");
  await harness.ended(runId);
  expect(desk.effects.map(({ tool }) => tool)).toEqual(["refund", "email"]);
  const calls = await harness.store.listApprovals({ tenantId: "acme", limit: 9 });
  expect(calls.find(({ grantId }) => grantId !== null)).toMatchObject({
    status: "withdrawn",
    withdrawalCause: "budget_exhausted",
  });
  const read = JSON.stringify(harness.model.requests.at(-1)?.body);
  expect(read).toContain("the budget of the standing permission that covered it was used up");
  expect(read).toContain("you may propose it again if it is still wanted, and a person will be asked");
});

it("a call that does not fit says so to people, with what the grant's calls have used", async () => {
  await using desk = await openGrantDesk();
  const { harness } = desk;
  await desk.grant(refundCall(80), budgetOfHundred);
  await harness.ended((await harness.say(refundCall(60))).runId);
  const { runId } = await harness.say(refundCall(41));
  const approval = await eventually(async () => (await harness.pending(1))[0], "it asks");
  const { body } = await harness.call("finance", `/approvals/${approval.id}`);
  const [grant] = await liveGrants(harness);
  expect(body.overBudget).toEqual({
    ...{ grantId: grant.id, total: 100, used: 60, each: null, unit: "EUR", amount: 41 },
  });
  await harness.decide(approval, "approve");
  await harness.ended(runId);
  // A person approved it, so the budget does not pay for it.
  expect((await liveGrants(harness))[0].budget.used).toBe(60);
});

describe("what was spent by the log", () => {
  const signer = createEvidenceSigner("only for tests, and at least 32 bytes long");

  async function openSpent() {
    const database = await freshPostgres(4);
    const store = postgresStore({ client: database.postgres });
    await store.migrate();
    const grantId = await giveBudget(store, hundred, { signer });
    const call = await proposeOne(store, 60, { signer });
    return {
      store,
      sql: database.admin,
      grantId,
      call,
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    };
  }

  it("counts although the row of the grant and those of its calls say otherwise", async () => {
    await using opened = await openSpent();
    const { store, sql, call } = opened;
    await sql`update countersign.approvals set grant_amount = 0 where id = ${call.id}`;
    expect(await proposeOne(store, 41, { signer })).toMatchObject({
      status: "proposed",
      overBudget: { used: 60 },
    });
    await store.claim(call.id, "once", asApproved, signer);
    await sql`update countersign.grants set spent = -1000`;
    expect(await proposeSpending(store, [20, 21], { signer })).toMatchObject([
      { status: "approved" },
      { status: "proposed", overBudget: { used: 80 } },
    ]);
  });

  it("counts although somebody has added to the log that a call which started was withdrawn, or less than nothing", async () => {
    await using opened = await openSpent();
    const { store, sql, call, grantId } = opened;
    await store.claim(call.id, "once", asApproved, signer);
    await sql`update countersign.grants set spent = 0`;
    const add = (type: string, data: object) =>
      sql.begin(async (tx) => {
        await tx`set local session_replication_role = 'replica'`;
        await tx`insert into countersign.audit_entries
          select tenant_id, position + 1000, ${call.id}, ${type}, null, at, ${JSON.stringify(data)}::text::json, hash, hash
          from countersign.audit_entries where tenant_id = 'acme' order by position desc limit 1`;
      });
    await add("approval.withdrawn", { cause: "run_cancelled" });
    await add("approval.granted", { grantId, amount: -1_000 });
    expect(await proposeOne(store, 41, { signer })).toMatchObject({ status: "proposed" });
    expect(await proposeOne(store, 40, { signer })).toMatchObject({ status: "approved" });
  });

  it("does not count a call that was withdrawn before its start", async () => {
    await using opened = await openSpent();
    const { store, call } = opened;
    await store.withdrawRun(call.runId ?? "", "run_cancelled");
    expect(await proposeOne(store, 100, { signer })).toMatchObject({ status: "approved" });
  });
});
