import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { demoInstallation } from "../support/demo/demo-process.js";

type Demo = Awaited<ReturnType<typeof demoInstallation>>;

const withdrawn = { status: "withdrawn", withdrawalCause: "effects_changed", effects: 0 };

/** Where the process dies, what the database then has of the refund, and how its call ends if the order changes now. */
const crashes = [
  { point: "before-propose", has: "nothing", ends: withdrawn },
  // The agent's first response only looks the order up.
  { point: "after-propose", time: 2, has: "proposal", ends: withdrawn },
  { point: "after-announce", has: "proposal", ends: withdrawn },
  { point: "before-decision", has: "proposal", approves: true, ends: withdrawn },
  { point: "after-decision", has: "decision", approves: true, ends: withdrawn },
  { point: "before-claim", has: "decision", approves: true, ends: withdrawn },
  // These have started, in the world that people saw.
  { point: "after-claim", has: "decision", approves: true, ends: { status: "interrupted", effects: 0 } },
  { point: "after-handler", has: "decision", approves: true, ends: { status: "interrupted", effects: 1 } },
  { point: "after-record", has: "decision", approves: true, ends: { status: "executed", effects: 1 } },
];

describe.each(["agentkit", "loop", "ai-sdk"])("the demo with AGENT=%s", (agent) => {
  let database: Awaited<ReturnType<typeof freshPostgres>>;
  let demo: Demo;
  let orders = 1000;

  beforeAll(async () => {
    database = await freshPostgres(1);
    demo = await demoInstallation({ AGENT: agent, DATABASE_URL: database.url });
  });
  afterAll(async () => {
    await demo?.[Symbol.asyncDispose]();
    await database?.[Symbol.asyncDispose]();
  });

  /** Asks the agent for a refund of an order that no other test uses. */
  async function askForRefund() {
    const orderId = `A-${++orders}`;
    const { threadId } = await demo.say(`Please refund 10 EUR for order ${orderId}`);
    return { orderId, threadId };
  }

  /** Somebody refunds the order without the agent. */
  const refundByHand = async (orderId: string) => {
    const changed = await database.admin`
      update demo.orders set status = 'refunded' where id = ${orderId} returning id`;
    expect(changed).toHaveLength(1);
  };

  const approve = async () => {
    const { id, digest } = await demo.pending();
    return demo.call("finance", `/approvals/${id}/decision`, { type: "approve", digest });
  };

  const endOf = async (threadId: string) => {
    await demo.threadDone(threadId);
    const { body } = await demo.call("finance", `/approvals?threadId=${threadId}`);
    const [approval, ...others] = body.items ?? [];
    expect(others).toEqual([]);
    const effects = (await demo.effects()).filter(({ approvalId }) => approvalId === approval?.id);
    return { ...approval, effects: effects.length };
  };

  it.each(crashes)(
    "killed at $point ends a refund of an order that changed since as $ends.status",
    async ({ point, time, has, approves, ends }) => {
      await demo.kill();
      await demo.start(point, time);
      const { orderId, threadId } = await askForRefund();
      // The process dies during this request, so the connection may break.
      if (approves) await approve().catch(() => undefined);
      await demo.crashed();
      if (has !== "nothing") await refundByHand(orderId);
      await demo.start();
      if (has !== "decision") {
        await demo.pending();
        if (has === "nothing") await refundByHand(orderId);
        expect((await approve()).status).toBe(200);
      }
      expect(await endOf(threadId)).toMatchObject({ toolName: "issue_refund", ...ends });
    },
  );

  it("starts nothing if the order changed before the decision, so it reaches no point of a start", async () => {
    await demo.kill();
    await demo.start("after-claim");
    const { orderId, threadId } = await askForRefund();
    await demo.pending();
    await refundByHand(orderId);
    expect((await approve()).status).toBe(200);
    expect(await endOf(threadId)).toMatchObject(withdrawn);
  });
});
