import type { Conversation } from "@countersign/testing";
import { ask, definePolicy, manual } from "countersign";
import { type CountersignOptions, createCountersign } from "countersign/agent-kit";
import { Inngest } from "inngest";
import { describe, expect, it } from "vitest";
import { callsFromMessage, callsOf } from "../support/calls-from-message.js";
import { everyDatabase, freshPostgres, type TestDatabase } from "../support/databases.js";
import { deskTools, inTurns, toolResults } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore } from "../support/store.js";

const refund = (amount: number, id = "A-1") => ({ name: "refund", input: { id, amount } });
const policy = definePolicy({ tools: { refund: ask(), email: manual() } });

async function openDesk(
  limits: NonNullable<CountersignOptions["limits"]>,
  options: Partial<Parameters<typeof openHarness>[0]> & { open?: () => Promise<TestDatabase> } = {},
) {
  const { open, reply = callsFromMessage, ...rest } = options;
  const conversations: Conversation[] = [];
  const database = await (open ?? freshPostgres)();
  const { tools, effects } = deskTools();
  const harness = await openHarness({
    database,
    tools,
    policy,
    reply: (conversation) => {
      conversations.push(conversation);
      return reply(conversation);
    },
    countersign: { limits },
    ...rest,
  });
  return {
    harness,
    effects,
    conversations,
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** The outcome of each call, as the model reads it. The scripted model refuses an incomplete transcript. */
function readByModel({ harness, conversations }: Awaited<ReturnType<typeof openDesk>>): string[] {
  const { requests } = harness.model;
  expect(requests.map(({ status, error }) => error ?? status)).toEqual(requests.map(() => 200));
  const last = conversations.at(-1);
  if (!last) throw new Error("the model was not asked");
  return toolResults(last).map(({ parsed }) => (parsed as { error?: { code: string } }).error?.code ?? "ran");
}

describe.each(everyDatabase)("identical calls on $name", ({ open }) => {
  it("in one response share one approval, and the second is withdrawn as a duplicate", async () => {
    await using desk = await openDesk({}, { open });
    const { harness } = desk;
    const { runId } = await harness.say(callsOf(refund(80), refund(80), refund(20)));
    const waiting = await harness.pending(2);
    for (const approval of waiting) await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(desk.effects.map(({ input }) => input)).toEqual([refund(80).input, refund(20).input]);
    expect(readByModel(desk)).toEqual(["ran", "duplicate_call", "ran"]);
    const all = await harness.store.listApprovals({ tenantId: "acme", limit: 10 });
    const duplicate = all.find(({ status }) => status === "withdrawn");
    const first = all.find(({ position }) => position === 0);
    expect(duplicate).toMatchObject({
      withdrawalCause: "duplicate_call",
      duplicateOf: first?.id,
      announcedAt: null,
    });
    const trail = await harness.store.auditTrail("acme", duplicate?.id ?? "");
    expect(trail.map(({ type, data }) => [type, data.cause, data.duplicateOf])).toEqual([
      ["approval.withdrawn", "duplicate_call", first?.id],
    ]);
  });
});

/** The same number of pending calls for everything that is limited. */
const limitsOf = (pending: number) => ({
  ...{ pendingPerRun: pending, pendingPerThread: pending, pendingPerRequester: pending },
  ...{ pendingPerTenant: pending, denialsInARow: 5 },
});

it("a call is a duplicate of an identical call in its thread only while that one is pending", async () => {
  await using desk = await openDesk({}, { format: "anthropic" });
  const { harness } = desk;
  const first = await harness.say(callsOf(refund(80)));
  const approval = await harness.onlyPending();
  const second = await harness.say(callsOf(refund(80)), first.threadId);
  await harness.ended(second.runId);
  expect(readByModel(desk)).toEqual(["duplicate_call"]);
  const elsewhere = await harness.say(callsOf(refund(80)));
  const other = await harness.nextPending(approval);
  expect(other.threadId).toBe(elsewhere.threadId);
  for (const { id, digest } of [approval, other]) await harness.decide({ id, digest }, "deny");
  await harness.ended(first.runId);
  const third = await harness.say(callsOf(refund(80)), first.threadId);
  await harness.decide(await harness.onlyPending(), "approve");
  await harness.ended(third.runId);
  expect(desk.effects).toHaveLength(1);
});

it("an expired call neither makes later calls duplicates nor counts toward the limits", async () => {
  await using database = await freshPostgres();
  let offset = 0;
  const store = postgresStore({ client: database.postgres, clockOffset: () => offset });
  await store.migrate();
  const limits = limitsOf(1);
  const same = { about: "same", limits, timeoutMs: 60_000 };
  for (const announce of [true, false]) {
    const [first] = await proposeCall(store, { ...same, announce });
    expect(first?.withdrawalCause).toBeNull();
    expect((await proposeCall(store, same))[0]?.withdrawalCause).toBe("duplicate_call");
    expect((await proposeCall(store, { limits }))[0]?.withdrawalCause).toBe("too_many_pending");
    offset += 61_000;
  }
});

it("a requester cannot use up the pending calls of a tenant", async () => {
  await using database = await freshPostgres();
  const store = postgresStore({ client: database.postgres });
  await store.migrate();
  const limits = { ...limitsOf(9), pendingPerRequester: 2 };
  const causes = [];
  for (const requesterId of ["ada", "ada", "ada", "ben"]) {
    const [call] = await proposeCall(store, { limits, requesterId, threadId: `thread-${causes.length}` });
    causes.push(call?.withdrawalCause);
  }
  expect(causes).toEqual([null, null, "too_many_pending", null]);
});

it("calls beyond the limit of a run, thread or tenant are refused at once, and the others wait", async () => {
  await using desk = await openDesk({ pendingPerRun: 2, pendingPerThread: 3, pendingPerTenant: 4 });
  const { harness } = desk;
  const first = await harness.say(callsOf(refund(1), refund(2), refund(3)));
  await harness.pending(2);
  const second = await harness.say(callsOf(refund(4), refund(5)), first.threadId);
  await harness.pending(3);
  const third = await harness.say(callsOf(refund(6), refund(7)));
  const waiting = await harness.pending(4);
  const refused = await harness.store.listApprovals({ tenantId: "acme", statuses: ["withdrawn"], limit: 10 });
  expect(
    refused.map(({ inputJson, withdrawalCause }) => [JSON.parse(inputJson).amount, withdrawalCause]),
  ).toEqual([3, 5, 7].map((amount) => [amount, "too_many_pending"]));
  for (const approval of waiting) await harness.decide(approval, "approve");
  for (const { runId } of [first, second, third]) await harness.ended(runId);
  expect(desk.effects).toHaveLength(4);
});

it("a run refuses calls after too many denials in a row; an approval or a new run resets the count", async () => {
  const turns = [1, 2, 3, 4, 5].map((amount) => ({ toolCalls: [refund(amount)] }));
  await using desk = await openDesk({ denialsInARow: 2 }, { reply: inTurns(...turns) });
  const { harness } = desk;
  const { runId, threadId } = await harness.say("Refund");
  let previous = { id: "" };
  for (const type of ["deny", "approve", "deny", "deny"] as const) {
    const approval = await harness.nextPending(previous);
    await harness.decide(approval, type);
    previous = approval;
  }
  await harness.ended(runId);
  expect(readByModel(desk)).toEqual([
    "denied_by_person",
    "ran",
    "denied_by_person",
    "denied_by_person",
    "too_many_denials",
  ]);
  await harness.say("Again", threadId);
  expect(await harness.onlyPending()).toMatchObject({ input: refund(1).input });
});

it("limits and the duplicate check hold exactly for concurrent proposals", async () => {
  await using database = await freshPostgres(30);
  const store = postgresStore({ client: database.postgres });
  await store.migrate();
  const limits = { ...limitsOf(50), pendingPerTenant: 7 };
  const proposals = await Promise.all(
    Array.from({ length: 20 }, (_, index) => proposeCall(store, { limits, threadId: `t-${index}` })),
  );
  const all = proposals.flat();
  expect(all.filter(({ status }) => status === "pending")).toHaveLength(7);
  expect(all.filter(({ withdrawalCause }) => withdrawalCause === "too_many_pending")).toHaveLength(13);
  const others = await proposeCall(store, { limits, tenantId: "other" });
  expect(others[0]?.status).toBe("pending");

  const same = { about: "same", limits, tenantId: "third" };
  const copies = (await Promise.all(Array.from({ length: 20 }, () => proposeCall(store, same)))).flat();
  const [pending, ...rest] = copies.filter(({ status }) => status === "pending");
  expect(rest).toEqual([]);
  expect(copies.filter(({ duplicateOf }) => duplicateOf === pending?.id)).toHaveLength(19);
});

it("a repeated proposal returns the outcomes of the first one", async () => {
  await using database = await freshPostgres();
  const store = postgresStore({ client: database.postgres });
  await store.migrate();
  const limits = limitsOf(2);
  const proposal = { limits, calls: 4, ids: "repeated", announce: false };
  const first = await proposeCall(store, proposal);
  expect(first.map(({ status }) => status)).toEqual(["proposed", "proposed", "withdrawn", "withdrawn"]);
  expect(await proposeCall(store, proposal)).toEqual(first);
});

it("requireApproval returns a refusal for a call beyond the limits, and its function continues", async () => {
  const answers: unknown[] = [];
  await using desk = await openDesk(
    { pendingPerTenant: 1 },
    {
      run: async ({ countersign, step, message }) => {
        const answer = await countersign.requireApproval(step, {
          action: "drop table",
          details: { message },
        });
        answers.push(answer);
        return answer;
      },
    },
  );
  const { harness } = desk;
  await harness.say("orders");
  await harness.onlyPending();
  const { runId } = await harness.say("customers");
  await harness.ended(runId);
  expect(answers.at(-1)).toMatchObject({ approved: false, refusal: { code: "too_many_pending" } });
});

it("savePendingApproval rejects duplicates and calls beyond the limits", async () => {
  await using desk = await openDesk({ pendingPerThread: 1 });
  const { countersign } = desk.harness;
  const details = {
    approvalId: "own-1",
    threadId: "t",
    eventIdToWaitFor: "e",
    toolName: "deploy",
    toolInput: { to: "production" },
    toolCallId: "c",
    status: "pending" as const,
    createdAt: new Date(),
  };
  await countersign.history.savePendingApproval(details);
  await countersign.history.savePendingApproval(details);
  const refused = { code: "call_refused", status: 409 };
  const save = (change: object) => countersign.history.savePendingApproval({ ...details, ...change });
  await expect(save({ approvalId: "own-2" })).rejects.toMatchObject({
    ...refused,
    detail: { refusal: "duplicate_call", approvalId: "own-1" },
  });
  await expect(save({ approvalId: "own-3", toolInput: {} })).rejects.toMatchObject({
    ...refused,
    detail: { refusal: "too_many_pending" },
  });
});

it.each([
  [{ pendingPerRun: 0 }, "limits.pendingPerRun"],
  [{ pendingPerThread: Number.POSITIVE_INFINITY }, "limits.pendingPerThread"],
  [{ pendingPerTenant: false }, "limits.pendingPerTenant"],
  [{ denialsInARow: 1.5 }, "limits.denialsInARow"],
  [{ perRun: 3 }, "perRun"],
])("createCountersign rejects the limits %j", async (limits, option) => {
  await using database = await freshPostgres();
  const options = {
    inngest: new Inngest({ id: "limits" }),
    store: postgresStore({ client: database.postgres }),
    policy,
    limits: limits as CountersignOptions["limits"],
  } as CountersignOptions;
  expect(() => createCountersign(options)).toThrow(
    expect.objectContaining({ code: "invalid_option", message: expect.stringContaining(option) }),
  );
});
