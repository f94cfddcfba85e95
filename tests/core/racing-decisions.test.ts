import { CountersignError, createCountersign } from "countersign";
import { approvalsApi } from "countersign/hono";
import { Inngest } from "inngest";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { defaultPolicy } from "../support/harness.js";
import { interceptedStore } from "../support/intercepted-store.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore } from "../support/store.js";

const people = Array.from({ length: 50 }, (_, index) => `person-${index}`);

async function openApi() {
  const database = await freshPostgres(50);
  const store = postgresStore({ client: database.postgres });
  await store.migrate();
  const wakeUps: unknown[] = [];
  const inngest = new Inngest({
    id: "races",
    isDev: true,
    fetch: async (_input, init) => {
      const events = JSON.parse(String(init?.body)) as { name: string }[];
      wakeUps.push(...events.filter(({ name }) => name === "countersign/request.wake-up"));
      return Response.json({ ids: ["1"], status: 200 });
    },
  });
  // No run processes the wake-ups here, so each would be sent again after a second or two.
  const sentOnce = interceptedStore(store, { wakeUpsStillDue: async () => [] });
  const countersign = createCountersign({
    inngest,
    store: sentOnce,
    policy: defaultPolicy,
    tenantId: "acme",
  });
  const api = approvalsApi(countersign, {
    authenticate: (request) => ({
      id: request.headers.get("x-test-person") ?? "nobody",
      tenantId: "acme",
      roles: [],
    }),
  });
  const decide = async (person: string, id: string, body: object) => {
    const response = await api.request(`/approvals/${id}/decision`, {
      method: "POST",
      headers: { "x-test-person": person, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown>, person };
  };
  return { store, decide, wakeUps, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

const decisions = (trail: { type: string }[]) =>
  trail.filter(({ type }) => type === "approval.approved" || type === "approval.denied");

describe("concurrent decisions on Postgres", () => {
  it("of fifty people decide once, and the others learn who decided", async () => {
    await using api = await openApi();
    for (let round = 0; round < 5; round++) {
      const [approval] = await proposeCall(api.store);
      if (!approval) throw new Error("unreachable");
      const answers = await Promise.all(
        people.map((person, index) =>
          api.decide(person, approval.id, { type: index % 2 ? "approve" : "deny", digest: approval.digest }),
        ),
      );
      const [winner, ...others] = answers.filter(({ status }) => status === 200);
      expect(others).toEqual([]);
      const losers = answers.filter(({ status }) => status === 409);
      expect(losers).toHaveLength(49);
      for (const loser of losers) {
        expect(loser.body).toMatchObject({ code: "already_decided", decidedBy: winner?.person });
        expect(loser.body.detail).toContain(winner?.person);
      }
      expect(decisions(await api.store.auditTrail("acme", approval.id))).toHaveLength(1);
      expect(api.wakeUps).toHaveLength(round + 1);
    }
  });

  it("that one person repeats fifty times decide once, and all get the same answer", async () => {
    await using api = await openApi();
    const [approval] = await proposeCall(api.store);
    if (!approval) throw new Error("unreachable");
    const body = { type: "approve", digest: approval.digest };
    const answers = await Promise.all(people.map(() => api.decide("one", approval.id, body)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    expect(decisions(await api.store.auditTrail("acme", approval.id))).toHaveLength(1);
    const other = await api.decide("one", approval.id, { type: "deny", digest: approval.digest });
    expect(other).toMatchObject({ status: 409, body: { decidedBy: "one" } });
  });

  it("about the eight calls of one request wake its run exactly once", async () => {
    await using api = await openApi();
    for (let round = 0; round < 10; round++) {
      api.wakeUps.length = 0;
      const calls = await proposeCall(api.store, { calls: 8 });
      const answers = await Promise.all(
        calls.map((call, index) =>
          api.decide(`p${index}`, call.id, { type: "approve", digest: call.digest }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(calls.map(() => 200));
      expect(api.wakeUps).toHaveLength(1);
    }
  });
});

describe("concurrent claims of one approved call", () => {
  it("start the call once", async () => {
    await using api = await openApi();
    for (let round = 0; round < 10; round++) {
      const [approval] = await proposeCall(api.store);
      if (!approval) throw new Error("unreachable");
      await api.decide("one", approval.id, { type: "approve", digest: approval.digest });
      const claims = await Promise.all(
        people.slice(0, 20).map(() => api.store.claim(approval.id, "once", () => undefined)),
      );
      const outcomes = claims.map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === "claimed")).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === "already_started")).toHaveLength(19);
    }
  });
});

it("a decision before the announcement of its approval is refused", async () => {
  await using api = await openApi();
  const [approval] = await proposeCall(api.store, { announce: false });
  const answer = await api.decide("one", approval?.id ?? "", { type: "approve", digest: approval?.digest });
  expect(answer).toMatchObject({ status: 409, body: { code: "not_open" } });
  expect(api.wakeUps).toEqual([]);
});

it("a database_failed error does not contain the parameters of the query", async () => {
  const database = await freshPostgres(2);
  const store = postgresStore({ client: database.postgres });
  await store.migrate();
  await database.postgres.end();
  const failure = await proposeCall(store).catch((error: unknown) => error);
  if (!CountersignError.isInstance(failure)) throw new Error("expected a CountersignError");
  expect(failure).toMatchObject({ code: "database_failed", status: 503 });
  expect(
    JSON.stringify({ ...failure, message: failure.message, stack: failure.stack, cause: failure.cause }),
  ).not.toContain("A-1");
});
