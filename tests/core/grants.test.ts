import { createTool } from "@inngest/agent-kit";
import { ask, definePolicy } from "countersign";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  approveWithGrant,
  exactGrant,
  grantableTerms,
  liveGrants,
  openGrantDesk,
  refundCall,
} from "../support/agents/grant-desk.js";
import { callsFromMessage, callsOf } from "../support/calls-from-message.js";
import { everyDatabase, freshPostgres } from "../support/databases.js";
import { eventually, openHarness } from "../support/harness.js";

describe.each(everyDatabase)("a grant on $name", ({ open: openDatabase }) => {
  it("lets the same call run in its thread without asking, and the audit log names the grantor", async () => {
    await using desk = await openGrantDesk({ open: openDatabase });
    const { harness } = desk;
    const { threadId, approval, answer } = await desk.grant(refundCall(80), exactGrant);
    expect(answer.status).toBe(200);
    const { runId } = await harness.say(refundCall(80), threadId);
    await harness.ended(runId);
    expect(desk.effects).toHaveLength(2);
    expect(harness.model.requests.every(({ status }) => status === 200)).toBe(true);

    const [grant] = await liveGrants(harness);
    expect(grant).toMatchObject({
      scope: "thread",
      scopeId: threadId,
      arguments: "exact",
      approvalId: approval.id,
      grantedBy: "finance",
      usesTaken: 1,
      usesLeft: null,
    });
    const granted = (await harness.store.listApprovals({ tenantId: "acme", limit: 10 })).find(
      ({ grantId }) => grantId === grant.id,
    );
    expect(granted).toMatchObject({
      status: "executed",
      decision: { type: "approve", decidedBy: "finance", reason: "Approved by a grant" },
    });
    const trail = await harness.store.auditTrail("acme", granted?.id ?? "");
    expect(trail.map(({ type, actorId }) => [type, actorId])).toEqual([
      ["approval.granted", "finance"],
      ["approval.executing", null],
      ["approval.executed", null],
    ]);
    expect(trail[0]?.data).toMatchObject({ grantId: grant.id, toolName: "refund", digest: granted?.digest });
    const given = await harness.store.auditTrail("acme", approval.id);
    expect(given.map(({ type }) => type)).toContain("grant.created");
  });
});

describe("a grant", () => {
  it("does not cover other arguments, other threads, or calls after its expiry", async () => {
    await using desk = await openGrantDesk();
    const { harness } = desk;
    const { threadId, answer } = await desk.grant(refundCall(80), { ...exactGrant, expiresIn: "2h" });
    expect(answer.status).toBe(200);
    const other = await harness.say(refundCall(81), threadId);
    await harness.decide(await harness.onlyPending(), "deny");
    await harness.ended(other.runId);
    const elsewhere = await harness.say(refundCall(80));
    await harness.decide(await harness.onlyPending(), "deny");
    await harness.ended(elsewhere.runId);
    await harness.clock.advance("121m");
    const later = await harness.say(refundCall(80), threadId);
    await harness.decide(await harness.onlyPending(), "deny");
    await harness.ended(later.runId);
    expect(desk.effects).toHaveLength(1);
    expect((await harness.call("finance", "/grants")).body.items[0].status).toBe("expired");
    expect(await liveGrants(harness)).toEqual([]);
  });

  it("does not cover calls that do not meet its condition", async () => {
    await using desk = await openGrantDesk();
    const { harness } = desk;
    const when = 'input.amount <= 100 && input.id == "A-1"';
    await desk.grant(refundCall(80), { scope: "team", arguments: { when } });
    const covered = await harness.say(refundCall(100));
    await harness.ended(covered.runId);
    expect(desk.effects).toHaveLength(2);
    for (const message of [refundCall(101), refundCall(20, "A-2")]) {
      const uncovered = await harness.say(message);
      await harness.decide(await harness.onlyPending(), "deny");
      await harness.ended(uncovered.runId);
    }
    expect(desk.effects).toHaveLength(2);
  });

  it("does not cover calls whose field is missing or has another type than its condition expects", async () => {
    const loose = createTool({
      name: "refund",
      parameters: z.object({ amount: z.union([z.number(), z.string(), z.null()]).optional() }),
      handler: () => "refunded",
    });
    await using database = await freshPostgres();
    await using harness = await openHarness({
      database,
      tools: [loose],
      format: "anthropic",
      reply: callsFromMessage,
      policy: definePolicy({ tools: { refund: ask(grantableTerms) } }),
    });
    const first = await harness.say(callsOf({ name: "refund", input: { amount: 5 } }));
    const grant = { scope: "team", arguments: { when: "input.amount < 10" } };
    expect((await approveWithGrant(harness, await harness.onlyPending(), grant)).status).toBe(200);
    await harness.ended(first.runId);
    for (const input of [{ amount: null }, { amount: "5" }, {}]) {
      const { runId } = await harness.say(callsOf({ name: "refund", input }));
      await harness.decide(await harness.onlyPending(), "deny");
      await harness.ended(runId);
    }
    const { runId } = await harness.say(callsOf({ name: "refund", input: { amount: 6 } }));
    await harness.ended(runId);
  });

  it("covers only the tool with the description that it was given for", async () => {
    await using desk = await openGrantDesk();
    const { harness } = desk;
    await desk.grant(refundCall(80), { scope: "team", arguments: "any" });
    const tool = desk.tools.find(({ name }) => name === "refund");
    if (!tool) throw new Error("unreachable");
    const index = desk.tools.indexOf(tool);
    desk.tools[index] = { ...tool, description: "Refund an order, and close the account" } as typeof tool;
    const changed = await harness.say(refundCall(80));
    await harness.decide(await harness.onlyPending(), "deny");
    await harness.ended(changed.runId);
    expect(desk.effects).toHaveLength(1);
    desk.tools[index] = tool;
    const same = await harness.say(refundCall(80));
    await harness.ended(same.runId);
    expect(desk.effects).toHaveLength(2);
  });
});

it("a grant with one use covers one call and is then used up", async () => {
  await using desk = await openGrantDesk();
  const { harness } = desk;
  await desk.grant(refundCall(80), { scope: "team", arguments: "exact", uses: 1 });
  await harness.ended((await harness.say(refundCall(80))).runId);
  const uncovered = await harness.say(refundCall(80));
  await eventually(async () => ((await harness.pending(1)).length === 1 ? true : undefined), "it asks again");
  expect(desk.effects).toHaveLength(2);
  expect((await harness.call("finance", "/grants")).body.items[0]).toMatchObject({
    status: "used_up",
    usesLeft: 0,
  });
  await harness.decide(await harness.onlyPending(), "deny");
  await harness.ended(uncovered.runId);
});
