import type { Reply } from "@countersign/testing";
import { allow, ask, definePolicy } from "countersign";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";

const policy = definePolicy({ tools: { refund: ask(), email: ask(), lookup: allow() } });

/** Each turn of this model calls the same tools again, until one of its calls is refused. */
const untilRefused =
  (...names: string[]) =>
  ({ messages }: { messages: readonly { role: string; text?: string }[] }): Reply => {
    const refused = JSON.stringify(messages).includes("run_nearly_full");
    if (refused) return { text: "The rest needs another run." };
    const turn = messages.length;
    const input = { id: `A-${turn}`, amount: 1, to: "a@b.test", text: String(turn) };
    return { toolCalls: names.map((name) => ({ name, input })) };
  };

describe.each([true, false])("a run near its limit of steps, checkpointing %s,", (checkpointing) => {
  it("creates no further approval, tells the model so, and completes", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    await using harness = await openHarness({
      database,
      tools,
      checkpointing,
      policy,
      reply: untilRefused("refund"),
      countersign: { limits: { stepsPerRun: 14 } },
      network: (network) => Object.assign(network, { maxIter: 100 }),
    });
    const { runId, threadId } = await harness.say("Refund all of them");
    // Two steps of the network, then five a turn: the propose step of the third turn is the 15th.
    let approval = await harness.onlyPending();
    await harness.decide(approval, "approve");
    approval = await harness.nextPending(approval);
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(effects).toHaveLength(2);
    const lastRequest = JSON.stringify(harness.model.requests.at(-1)?.body);
    expect(lastRequest).toContain("this run is nearly full (");
    expect(lastRequest).toContain("a new message starts a new run");
    expect(await harness.store.listApprovals({ tenantId: "acme", limit: 9 })).toHaveLength(2);
    const { body } = await harness.call("auditor", "/audit?limit=100");
    expect(JSON.stringify(body.items)).toContain("run_nearly_full");
    expect((await harness.call("requester", `/threads/${threadId}`)).body.status).toBe("done");
  });

  it("refuses the calls of a response for which too few steps are left", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    await using harness = await openHarness({
      database,
      tools,
      checkpointing,
      policy,
      reply: untilRefused("lookup", "refund", "email", "refund"),
      countersign: { limits: { stepsPerRun: 8 } },
    });
    const { runId } = await harness.say("Refund and write");
    const waiting = await harness.pending(2);
    for (const approval of waiting) await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(effects.map(({ tool }) => tool)).toEqual(["refund", "email"]);
    expect(JSON.stringify(harness.model.requests.at(-1)?.body)).toContain("this run is nearly full");
  });
});

it("requireApproval() is refused in a run near its limit of steps", async () => {
  await using database = await freshPostgres();
  const answers: unknown[] = [];
  await using harness = await openHarness({
    database,
    tools: [],
    reply: () => ({ text: "unused" }),
    countersign: { limits: { stepsPerRun: 5 } },
    run: async ({ countersign, step }) => {
      for (const name of ["a", "b", "c", "d"]) await step.run(name, () => name);
      answers.push(await countersign.requireApproval(step, { action: "drop table", details: {} }));
    },
  });
  const { runId } = await harness.say("Drop the table");
  await harness.ended(runId);
  expect(answers.at(-1)).toMatchObject({ approved: false, refusal: { code: "run_nearly_full" } });
  expect(await harness.store.listApprovals({ tenantId: "acme", limit: 1 })).toEqual([]);
});
