import { counterOf, countNamed } from "@countersign/policy/internal/policy/counts";
import { type Countersign, CountersignError, createCountersign } from "countersign";
import fc from "fast-check";
import { Inngest } from "inngest";
import { expect, it } from "vitest";
import { runs } from "../durability/model/settings.js";
import { freshPostgres } from "../support/databases.js";
import { limitedCalls } from "../support/limited-calls.js";
import { policyOf } from "../support/policy-of.js";
import { checkHours, sumUpAllHours } from "../support/postgres/counted-hours.js";
import { stopClock } from "../support/postgres/stopped-clock.js";
import { holdForEnough } from "../support/properties/hold-for-enough.js";
import { postgresStore, type Store } from "../support/store.js";

const hour = 3_600_000;
const lead = { id: "lead", roles: ["lead"] };

/** What the policy counts, written once for the policy and once for the model. */
const limits = [
  { text: 'spent("refund", "amount", "1h")', above: 20 },
  { text: 'spent("refund", "amount", "24h", "tenant")', above: 60 },
  { text: 'calls("*fund", "24h", "thread")', above: 4 },
  { text: 'calls("refund", "7d", "customer")', above: 6 },
  { text: 'spent("re*", "amount", "31d", "input.customer")', above: 90 },
];
const lookupLimit = { text: 'spent("refund", "amount", "24h")', above: 40 };

const asked = { verdict: "ask", approvers: { roles: ["lead"] }, editable: ["amount"] };
const decisions = ["approve", "edit", "deny"];
const policy = policyOf([
  ...limits.map(({ text, above }) => ({ tools: "refund", when: `${text} > ${above}`, ...asked, decisions })),
  { tools: "refund", when: "input.careful", ...asked, decisions },
  { tools: "refund", verdict: "deny", when: "has(input.amount) && input.amount > 24" },
  {
    tools: "lookup",
    when: `${lookupLimit.text} > ${lookupLimit.above}`,
    ...asked,
    decisions: ["approve", "deny"],
  },
]);

interface ModelCall {
  id: string;
  tenant: string;
  requester: string | null;
  thread: string | null;
  tool: string;
  amount: number | null;
  customer: string | null;
  verdict: string;
  status: string;
  /** The order and the time in which it was counted; an edit counts it anew. */
  place: number;
  at: number;
  expiresAt: number;
  run: string;
}

/** What one count of a limit says, spelled out for the model. */
interface Asked {
  tool(name: string): boolean;
  isSpent: boolean;
  windowMs: number;
  same(a: ModelCall, b: ModelCall): boolean;
}

const sameCustomer = (a: ModelCall, b: ModelCall) => a.customer !== null && a.customer === b.customer;
const meanings: Record<string, Asked> = {
  'spent("refund", "amount", "1h")': {
    ...{ tool: (name) => name === "refund", isSpent: true, windowMs: hour },
    same: (a, b) => a.requester === b.requester,
  },
  'spent("refund", "amount", "24h", "tenant")': {
    ...{ tool: (name) => name === "refund", isSpent: true, windowMs: 24 * hour },
    same: () => true,
  },
  'calls("*fund", "24h", "thread")': {
    ...{ tool: (name) => name === "refund", isSpent: false, windowMs: 24 * hour },
    same: (a, b) => a.thread === b.thread,
  },
  'calls("refund", "7d", "customer")': {
    ...{ tool: (name) => name === "refund", isSpent: false, windowMs: 7 * 24 * hour },
    same: sameCustomer,
  },
  'spent("re*", "amount", "31d", "input.customer")': {
    ...{ tool: (name) => name.startsWith("re"), isSpent: true, windowMs: 31 * 24 * hour },
    same: sameCustomer,
  },
  'spent("refund", "amount", "24h")': {
    ...{ tool: (name) => name === "refund", isSpent: true, windowMs: 24 * hour },
    same: (a, b) => a.requester === b.requester,
  },
};

const never = ["denied", "expired", "withdrawn"];

class Model {
  readonly calls: ModelCall[] = [];
  now = 0;
  place = 0;
  requests = 0;

  /** What other calls amount to for a call: a plain loop over the list. */
  amount(text: string, own: ModelCall, counts: (other: ModelCall) => boolean, until = this.now): number {
    const meaning = meanings[text];
    if (!meaning) throw new Error(`the model does not know ${text}`);
    let amount = 0;
    for (const other of this.calls) {
      if (!meaning.tool(other.tool) || other.tenant !== own.tenant || !meaning.same(other, own)) continue;
      if (never.includes(other.status) || other.at <= until - meaning.windowMs || !counts(other)) continue;
      amount += meaning.isSpent ? (other.amount ?? 0) : 1;
    }
    return Math.round(amount * 100) / 100;
  }

  /** The verdict about a call, before it is in the list. */
  verdict(call: ModelCall): string {
    if (call.tool === "lookup") {
      return this.amount(lookupLimit.text, call, () => true) > lookupLimit.above ? "ask" : "allow";
    }
    if (call.amount !== null && call.amount > 24) return "deny";
    const exceeds = ({ text, above }: (typeof limits)[number]) => {
      const own = meanings[text]?.isSpent ? call.amount : 1;
      const isUnknown = own === null || (text.includes("customer") && call.customer === null);
      // A rule that cannot be evaluated applies.
      return isUnknown || Math.round((this.amount(text, call, () => true) + own) * 100) / 100 > above;
    };
    return call.amount === null || limits.some(exceeds) ? "ask" : "notify";
  }
}

interface World {
  store: Store;
  countersign: Countersign;
  propose: ReturnType<typeof limitedCalls>;
  setTime(now: number): Promise<void>;
  forget(id: string): Promise<unknown>;
}

const decide = async (
  { countersign, store }: World,
  call: ModelCall,
  type: "approve" | "deny" | "edit",
  amount?: number,
) => {
  const approval = await store.getApproval(call.tenant, call.id);
  if (!approval) throw new Error(`${call.id} is missing`);
  const input = type === "edit" ? { input: { ...JSON.parse(approval.inputJson), amount } } : {};
  const principal = { ...lead, tenantId: call.tenant };
  try {
    await countersign.decide({
      approvalId: call.id,
      principal,
      type,
      digest: approval.digest,
      reason: null,
      ...input,
    });
    return "ok";
  } catch (error) {
    if (!CountersignError.isInstance(error)) throw error;
    return error.code;
  }
};

interface Step {
  run(model: Model, world: World): Promise<void>;
  /** Tells the step in the report of a failure. */
  [fc.toStringMethod](): string;
}

/** Steps of one kind, each from the values that it was made of. */
const stepsOf = <T>(
  name: string,
  values: fc.Arbitrary<T>,
  run: (chosen: T, model: Model, world: World) => Promise<void>,
): fc.Arbitrary<Step> =>
  values.map((chosen) => ({
    run: (model, world) => run(chosen, model, world),
    [fc.toStringMethod]: () => `${name} ${JSON.stringify(chosen)}`,
  }));

const aim = fc.nat({ max: 999 });
const pick = (model: Model, number: number, ...statuses: string[]) => {
  const fitting = model.calls.filter(({ status }) => statuses.includes(status));
  return fitting[number % Math.max(1, fitting.length)];
};

const response = fc.record({
  tenant: fc.constantFrom("acme", "acme", "zinc"),
  requester: fc.constantFrom("rita", "rita", "finn", null),
  thread: fc.constantFrom("t-1", "t-2", null),
  timeoutMs: fc.constantFrom(hour / 2, 30 * hour),
  calls: fc.array(
    fc.record({
      tool: fc.constantFrom("refund", "refund", "refund", "reprice", "lookup"),
      amount: fc.constantFrom<(number | null)[]>(0, 0.1, 0.2, 3, 5, 8, 13, 24, 25, -5, null),
      customer: fc.constantFrom("c-1", "c-1", "c-2", null),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  /** Attempts of the step: all but the last die before they announce the calls. */
  attempts: fc.constantFrom(1, 1, 1, 2, 3),
});

/** Proposes a response, as often as its step is retried, and compares each verdict with that of the plain list. */
const proposing = stepsOf(
  "proposing",
  response,
  async ({ tenant, requester, thread, timeoutMs, calls, attempts }, model, world) => {
    const id = String(model.requests++);
    const expected = calls.map(({ tool, amount, customer }, position) => {
      const call: ModelCall = {
        ...{ id: `apr_${id}_${position}`, tenant, requester, thread, tool, customer, run: `run_${id}` },
        amount: amount !== null && amount < 0 ? null : amount,
        ...{ verdict: "", status: "", place: 0, at: model.now, expiresAt: model.now + timeoutMs },
      };
      call.verdict = tool === "reprice" ? "notify" : model.verdict(call);
      call.status = { notify: "approved", deny: "denied", ask: "proposed" }[call.verdict] ?? "allowed";
      if (tool !== "lookup") call.place = ++model.place;
      if (call.status !== "allowed") model.calls.push(call);
      return call;
    });
    for (let attempt = 0; attempt < attempts; attempt++) {
      const outcomes = await world.propose({
        ...{ id, tenantId: tenant, requesterId: requester, threadId: thread, timeoutMs },
        calls: calls.map(({ tool, amount, customer }, position) => ({
          tool,
          input: {
            ...{ about: `${id} ${position}`, careful: false, ...(amount === null ? {} : { amount }) },
            ...(customer === null ? {} : { customer }),
          },
        })),
      });
      const verdicts = outcomes.map((outcome) =>
        outcome.kind === "allowed" || !outcome.approval ? outcome.kind : outcome.approval.verdict,
      );
      const isRetried = attempt > 0;
      expect(
        verdicts.map((verdict, index) => (isRetried && expected[index]?.tool === "lookup" ? "" : verdict)),
      ).toEqual(
        expected.map(({ verdict, tool }) =>
          isRetried && tool === "lookup" ? "" : verdict === "allow" ? "allowed" : verdict,
        ),
      );
    }
    await world.store.announce(`req_${id}`);
    for (const call of expected) if (call.status === "proposed") call.status = "pending";
  },
);

const deciding = stepsOf(
  "deciding",
  fc.record({ number: aim, type: fc.constantFrom("approve", "approve", "deny") }),
  async ({ number, type }, model, world) => {
    const call = pick(model, number, "pending");
    if (!call || call.expiresAt <= model.now) return;
    expect(await decide(world, call, type)).toBe("ok");
    call.status = type === "deny" ? "denied" : "approved";
  },
);

const editing = stepsOf(
  "editing",
  fc.record({ number: aim, amount: fc.constantFrom(1, 7, 24, 25) }),
  async ({ number, amount }, model, world) => {
    const call = pick(model, number, "pending");
    if (!call || call.expiresAt <= model.now || call.tool !== "refund" || call.amount === null) return;
    const changes = amount !== call.amount;
    const said = await decide(world, call, "edit", amount);
    if (!changes) return void expect(said).toBe("invalid_edit");
    expect(said).toBe(amount > 24 ? "edit_not_allowed" : "ok");
    if (said === "ok")
      Object.assign(call, { status: "approved", amount, place: ++model.place, at: model.now });
  },
);

const starting = stepsOf(
  "starting",
  fc.record({ number: aim, to: fc.constantFrom("executed", "failed", "interrupted", "executing") } as const),
  async ({ number, to }, model, { store }) => {
    const call = pick(model, number, "approved");
    if (!call) return;
    const { outcome } = await store.claim(call.id, "once", () => undefined);
    call.status =
      outcome === "claimed" ? "executing" : ((await store.getApproval(call.tenant, call.id))?.status ?? "");
    if (outcome !== "claimed" || to === "executing") return;
    await store.finish(call.id, to === "interrupted" ? { status: to } : { status: to, outcomeJson: "null" });
    call.status = to;
  },
);

/** Takes over how calls have ended: other tests show when they do, and this one what then counts. */
async function endAsIn(store: Store, calls: readonly ModelCall[]): Promise<void> {
  for (const call of calls) {
    call.status = (await store.getApproval(call.tenant, call.id))?.status ?? "missing";
  }
}

const withdrawing = stepsOf("withdrawing", aim, async (number, model, { store }) => {
  const call = pick(model, number, "pending", "approved");
  if (!call) return;
  await store.withdrawRun(call.run, "run_failed");
  expect((await store.getApproval(call.tenant, call.id))?.status).toBe("withdrawn");
  await endAsIn(
    store,
    model.calls.filter(({ run }) => run === call.run),
  );
});

/** What was counted of a call is deleted, as with the data of a person who is forgotten. */
const forgetting = stepsOf("forgetting", aim, async (number, model, { forget }) => {
  const call = model.calls[number % Math.max(1, model.calls.length)];
  if (!call) return;
  await forget(call.id);
  model.calls.splice(model.calls.indexOf(call), 1);
});

/** Between two steps. */
const moment = 500;

// What was counted one step before leaves its window at this very moment.
const passing = stepsOf(
  "passing",
  fc.constantFrom(hour / 4, hour - moment, 24 * hour - moment, 8 * 24 * hour),
  async (ms, model, { store, setTime }) => {
    model.now += ms;
    await setTime(model.now);
    await store.sweep();
    await endAsIn(store, model.calls);
  },
);

/** Compares everything that the store counts for every call with the plain list: of others, of those before it, and of all. */
async function compare(model: Model, { store }: World): Promise<void> {
  for (const own of model.calls.slice(-12)) {
    if (own.tool === "lookup") continue;
    const counts = limits.flatMap(({ text }) => {
      const [, name, inner] = /^(calls|spent)\((.*)\)$/.exec(text) ?? [];
      const count = countNamed(name as "calls" | "spent", JSON.parse(`[${inner}]`));
      const counter = counterOf(count, {
        input: own.customer === null ? {} : { customer: own.customer },
        ...{ requesterId: own.requester, threadId: own.thread },
      });
      return counter === undefined
        ? []
        : [{ text, query: { counter, windowMs: meanings[text]?.windowMs ?? 0 } }];
    });
    const queries = counts.map(({ query }) => query);
    const read = (which?: Parameters<Store["readCounts"]>[2]) => store.readCounts(own.tenant, queries, which);
    const listed = (of: (other: ModelCall) => boolean, until?: number) =>
      counts.map(({ text }) => model.amount(text, own, of, until));
    expect(await read(), `all for ${own.id}`).toEqual(listed(() => true));
    expect(await read({ except: own.id }), `except ${own.id}`).toEqual(listed((other) => other !== own));
    if (own.status === "denied" && own.verdict === "deny") continue;
    expect(await read({ before: own.id }), `before ${own.id}`).toEqual(
      listed(({ place }) => place < own.place, own.at),
    );
  }
}

const steps = fc.array(
  fc.oneof(
    { arbitrary: proposing, weight: 8 },
    { arbitrary: deciding, weight: 4 },
    { arbitrary: editing, weight: 4 },
    { arbitrary: starting, weight: 4 },
    { arbitrary: withdrawing, weight: 1 },
    { arbitrary: forgetting, weight: 1 },
    { arbitrary: passing, weight: 3 },
  ),
  { minLength: 10, maxLength: 40, size: "max" },
);

it("what was counted, and each verdict by it, is what a plain list of all calls says", async () => {
  await using database = await freshPostgres(5);
  const setClock = await stopClock(database.admin);
  await sumUpAllHours(database.admin);
  const store = postgresStore({ client: database.postgres });
  const inngest = new Inngest({
    ...{ id: "limits", isDev: true },
    fetch: async () => Response.json({ ids: ["event"], status: 200 }),
  });
  const countersign = createCountersign({ inngest, store, policy });
  const beginning = Date.parse("2030-01-01T00:00:00Z");
  const setTime = (now: number) => setClock(new Date(beginning + now));
  const forget = async (id: string) =>
    database.admin`delete from countersign.counted_calls where approval_id = ${id}`;
  const world: World = { store, countersign, propose: limitedCalls(store, policy), setTime, forget };
  let stood = 0;
  await holdForEnough(
    fc.asyncProperty(steps, async (all) => {
      await database.admin`truncate countersign.requests, countersign.ended_runs, countersign.allowed_responses cascade`;
      const model = new Model();
      for (const step of all) {
        model.now += moment;
        await setTime(model.now);
        await step.run(model, world);
        await compare(model, world);
        const { stand, wrong } = await checkHours(database.admin);
        expect(wrong).toEqual([]);
        stood += stand;
      }
    }),
    // Each case takes long on a busy machine, because all is counted after each step.
    runs(6, 240_000),
    3,
  );
  expect(stood).toBeGreaterThan(0);
});
