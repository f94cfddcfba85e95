import type { Conversation } from "@countersign/testing";
import { ask, definePolicy } from "countersign";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools } from "../support/desk-tools.js";
import { eventually, openHarness } from "../support/harness.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

const policy = definePolicy({
  tools: {
    refund: ask({
      approvers: { roles: ["finance"] },
      timeout: "1h",
      escalation: [
        { after: "10m", remind: true },
        { after: "20m", escalateTo: ["lead"] },
        { after: "40m", remind: true },
      ],
    }),
  },
});

async function openRefund() {
  const reminders: { step: number; roles: string[] }[] = [];
  const waiting = await openWaitingRefund({
    policy,
    onEvent: ({ name, data }) => {
      if (name === "countersign/approval.reminder") {
        reminders.push({ step: Number(data.step), roles: data.roles as string[] });
      }
      return "deliver";
    },
  });
  const reminded = (count: number) =>
    eventually(() => (reminders.length === count ? reminders : undefined), `${count} reminders`);
  return { ...waiting, reminders, reminded };
}

describe("escalation", () => {
  it("reminds, adds an approver role, reminds again, and ends with expiry", async () => {
    await using world = await openRefund();
    const { harness, approval } = world;
    await harness.clock.advance("9m");
    await harness.engine.idle();
    expect(world.reminders).toEqual([]);
    expect((await harness.call("lead", `/approvals/${approval.id}`)).status).toBe(404);
    await harness.clock.advance("2m");
    await world.reminded(1);
    await harness.clock.advance("10m");
    expect((await world.reminded(2))[1]).toEqual({ step: 2, roles: ["finance", "lead"] });
    expect((await harness.call("lead", `/approvals/${approval.id}`)).body.approvers.roles).toEqual([
      "finance",
      "lead",
    ]);
    await harness.clock.advance("20m");
    await world.reminded(3);
    await harness.clock.advance("21m");
    await harness.ended(world.runId);
    expect(await harness.approval(approval.id)).toMatchObject({ status: "expired" });
    const trail = await harness.store.auditTrail("acme", approval.id);
    expect(trail.map(({ type }) => type)).toEqual([
      "approval.proposed",
      "approval.announced",
      "approval.reminded",
      "approval.escalated",
      "approval.reminded",
      "approval.expired",
    ]);
    expect(world.reminders).toHaveLength(3);
  });

  it("accepts a decision before, between and after its steps", async () => {
    for (const [minutes, person] of [
      [5, "finance"],
      [15, "finance"],
      [25, "lead"],
      [45, "finance"],
    ] as const) {
      await using world = await openRefund();
      const { harness, approval } = world;
      await harness.clock.advance(`${minutes}m`);
      if (person === "lead") await world.reminded(1);
      expect((await harness.decide(approval, "approve", person)).status).toBe(200);
      await harness.ended(world.runId);
      expect(world.effects).toHaveLength(1);
    }
  });
});

describe("a new message in a thread", () => {
  it.each(["on-new-message", "never"] as const)(
    "withdraws the pending approval only if the supersede option says so: %s",
    async (supersede) => {
      await using database = await freshPostgres();
      const { tools, effects } = deskTools();
      const reply = ({ messages }: Conversation) => {
        const userMessages = messages.filter(({ role }) => role === "user").length;
        const call = { name: "refund", input: { id: `A-${userMessages}`, amount: 80 } };
        return messages.at(-1)?.role === "user" ? { toolCalls: [call] } : { text: "Done." };
      };
      const ask30 = definePolicy({ tools: { refund: ask() } });
      await using harness = await openHarness({
        database,
        tools,
        policy: ask30,
        reply,
        countersign: { supersede },
      });
      const first = await harness.say("Refund A-1");
      const old = await harness.onlyPending();
      const second = await harness.say("No, wait", first.threadId);
      const next = await harness.nextPending(old);
      if (supersede === "never") {
        expect((await harness.approval(old.id)).status).toBe("pending");
        await harness.decide(old, "approve");
      }
      await harness.ended(first.runId);
      expect((await harness.approval(old.id)).status).toBe(supersede === "never" ? "executed" : "withdrawn");
      if (supersede === "on-new-message") {
        expect(await harness.approval(old.id)).toMatchObject({ withdrawalCause: "superseded" });
        expect(await harness.decide(old, "approve")).toMatchObject({
          status: 409,
          body: { code: "withdrawn" },
        });
      }
      await harness.decide(next, "approve");
      await harness.ended(second.runId);
      expect(effects).toHaveLength(supersede === "never" ? 2 : 1);
    },
  );
});
