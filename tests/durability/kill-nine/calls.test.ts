import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freshPostgres } from "../../support/databases.js";
import { demoInstallation } from "../../support/demo/demo-process.js";
import { type Crash, expectSurvival } from "../../support/demo/killed-at.js";

const executed = { status: "executed", effects: 1 };
const withdrawn = { status: "withdrawn", withdrawalCause: "effects_changed", effects: 0 };

const lookUpProposed: Crash = { point: "after-propose", ends: executed };
const claimed: Crash = {
  ...{ point: "after-claim", decided: true },
  ends: { status: "interrupted", effects: 0 },
};
const handled: Crash = {
  ...{ point: "after-handler", decided: true },
  ends: { status: "interrupted", effects: 1 },
};
const recorded: Crash = { point: "after-record", decided: true, ends: executed };

/** Every point at which a call may be left. */
const all: Crash[] = [
  lookUpProposed,
  { point: "before-propose", time: 2, ends: executed },
  { point: "after-announce", ends: executed },
  { point: "after-decision", decided: true, relayed: true, ends: executed },
  { point: "after-decision", decided: true, holdMs: 3_000, relayed: true, ends: executed },
  { point: "after-look", decided: true, holdMs: 3_000, ends: executed },
  ...[claimed, handled, recorded],
];

const awake: Crash = { point: "before-claim", decided: true, ends: withdrawn };

/** How a call ends if its order is refunded by hand while the process is dead. */
const changed: Crash[] = [
  { point: "after-propose", time: 2, ends: withdrawn },
  { point: "after-decision", decided: true, relayed: true, ends: withdrawn },
  awake,
  // These have started, in the world that people saw.
  ...[claimed, recorded],
];

/** On every database and with every agent, the same code claims and records. */
const installations = [
  { kind: "Postgres", agent: "agentkit", crashes: all, changes: changed },
  { kind: "Postgres", agent: "loop", crashes: [lookUpProposed, handled], changes: [awake, recorded] },
  { kind: "Postgres", agent: "ai-sdk", crashes: [lookUpProposed, handled], changes: [awake, recorded] },
  { kind: "PGlite", agent: "agentkit", crashes: [claimed, recorded], changes: [] },
];

describe.each(installations)("the demo on $kind with AGENT=$agent", ({ kind, agent, crashes, changes }) => {
  let database: Awaited<ReturnType<typeof freshPostgres>> | undefined;
  let demo: Awaited<ReturnType<typeof demoInstallation>>;
  let orders = 1000;

  /** An order that no other test refunds. */
  const newOrder = () => `A-${++orders}`;

  beforeAll(async () => {
    database = kind === "Postgres" ? await freshPostgres(1) : undefined;
    demo = await demoInstallation({ AGENT: agent, ...(database && { DATABASE_URL: database.url }) });
    await demo.start();
  });
  afterAll(async () => {
    await demo?.[Symbol.asyncDispose]();
    await database?.[Symbol.asyncDispose]();
  });

  it.each(crashes)("killed at $point ends its call as $ends.status (effects: $ends.effects)", (crash) =>
    expectSurvival(demo, crash, { orderId: newOrder() }),
  );

  it.each(changes)(
    "killed at $point while its order changes ends its call as $ends.status",
    async (crash) => {
      const orderId = newOrder();
      const meanwhile = () => refundByHand(orderId);
      await expectSurvival(demo, crash, { orderId, meanwhile });
    },
  );

  async function refundByHand(orderId: string) {
    if (!database) throw new Error("Only Postgres can be changed while the process is dead");
    const refunded = await database.admin`
      update demo.orders set status = 'refunded' where id = ${orderId} returning id`;
    expect(refunded).toHaveLength(1);
  }

  it.skipIf(crashes !== all)("killed while a call waits keeps the call and its run", async () => {
    const { threadId } = await demo.say(`Please refund 10 EUR for order ${newOrder()}`);
    const before = await demo.pending(threadId);
    await demo.kill();
    await demo.start();
    const after = await demo.pending(threadId);
    expect(after).toEqual(before);
    const decision = { type: "approve", digest: after.digest };
    await demo.call("lead", `/approvals/${after.id}/decision`, decision);
    await demo.threadDone(threadId);
    const effects = (await demo.effects()).filter(({ approvalId }) => approvalId === after.id);
    expect(effects).toHaveLength(1);
  });
});
