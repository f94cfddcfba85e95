import { describe, expect, it } from "vitest";
import { freshPglite, freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";

const refund = { toolCalls: [{ name: "refund", input: { id: "A-1", amount: 80 } }] };

describe("a gated call", () => {
  it.each([
    ["PGlite", "in-process", freshPglite],
    ["Postgres", "in-process", freshPostgres],
    ["Postgres", "http", freshPostgres],
  ] as const)("runs once when approved (on %s, transport: %s)", async (_name, transport, open) => {
    await using database = await open();
    const { tools, effects } = deskTools();
    await using harness = await openHarness({ database, tools, transport, reply: inTurns(refund) });
    const { runId, threadId } = await harness.say("Refund A-1");
    const approval = await harness.onlyPending();
    expect(approval).toMatchObject({ toolName: "refund", input: { id: "A-1", amount: 80 }, threadId });
    expect(
      await harness.countersign.threads.read(threadId, { id: "requester", tenantId: "acme", roles: [] }),
    ).toMatchObject({
      status: "waiting",
    });
    expect(effects).toEqual([]);

    const decided = await harness.decide(approval, "approve");
    expect(decided).toMatchObject({
      status: 200,
      body: { status: "approved", decision: { decidedBy: "finance" } },
    });

    await harness.ended(runId);
    expect(effects).toEqual([{ tool: "refund", input: { id: "A-1", amount: 80 } }]);
    expect(await harness.approval(approval.id)).toMatchObject({ status: "executed" });
    expect(harness.model.requests.map((request) => request.status)).toEqual([200, 200]);
    expect(
      await harness.countersign.threads.read(threadId, { id: "requester", tenantId: "acme", roles: [] }),
    ).toMatchObject({
      status: "done",
      messages: [
        { role: "user", content: "Refund A-1" },
        { role: "assistant", toolCalls: [{ name: "refund" }] },
        { role: "tool", content: { data: { ok: true } } },
        { role: "assistant", content: "Done." },
      ],
    });
  });

  it("does not run when denied", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    await using harness = await openHarness({ database, tools, reply: inTurns(refund) });
    const { runId } = await harness.say("Refund A-1");
    const approval = await harness.onlyPending();
    const decided = await harness.decide(approval, "deny", "finance", "The order was delivered");
    expect(decided).toMatchObject({ status: 200, body: { status: "denied" } });

    await harness.ended(runId);
    expect(effects).toEqual([]);
    expect(harness.model.requests.map((request) => request.status)).toEqual([200, 200]);
    const secondRequest = JSON.stringify(harness.model.requests[1]?.body);
    expect(secondRequest).toContain("denied it, so it did not run. Their reason: The order was delivered");
  });
});
