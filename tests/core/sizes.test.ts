import { createTool } from "@inngest/agent-kit";
import { allow, ask, definePolicy, durable } from "countersign";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { callsFromMessage, callsOf } from "../support/calls-from-message.js";
import { freshPostgres } from "../support/databases.js";
import { inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";
import type { HarnessOptions } from "../support/harness-options.js";

const MB = 1_000_000;
const text = (bytes: number) => "x".repeat(bytes);

/** A desk whose gated tools accept and return values of any size. */
async function openDesk(options: Partial<HarnessOptions> = {}) {
  const effects: string[] = [];
  const tools = [
    ...["write", "archive"].map((name) =>
      createTool({
        name,
        parameters: z.object({ title: z.string(), body: z.string() }),
        handler: () => effects.push(name),
      }),
    ),
    createTool({
      name: "read",
      parameters: z.object({ bytes: z.number() }),
      handler: ({ bytes }) => {
        effects.push("read");
        return { content: text(bytes) };
      },
    }),
    durable(
      createTool({
        name: "crawl",
        parameters: z.object({ bytes: z.number() }),
        handler: async ({ bytes }, { step }) => {
          await step?.run("crawl", () => effects.push("crawl"));
          return { content: text(bytes) };
        },
      }),
    ),
    createTool({
      name: "remember",
      parameters: z.object({ bytes: z.number() }),
      handler: ({ bytes }, { network }) => {
        effects.push("remember");
        network.state.data.memory = text(bytes);
        return "remembered";
      },
    }),
    createTool({
      name: "fail",
      parameters: z.object({ bytes: z.number() }),
      handler: ({ bytes }) => {
        effects.push("fail");
        throw new Error(text(bytes));
      },
    }),
  ];
  const database = await freshPostgres();
  const harness = await openHarness({
    database,
    tools,
    policy: definePolicy({
      tools: { "*": ask({ decisions: ["approve", "edit", "deny", "respond"], editable: ["body"] }) },
    }),
    reply: callsFromMessage,
    ...options,
  });
  const lastRequest = () => JSON.stringify(harness.model.requests.at(-1)?.body);
  return {
    harness,
    effects,
    lastRequest,
    /** Approves these calls of one response, and waits for the end of their run. Returns them by their tools' names. */
    async approve(...calls: Parameters<typeof callsOf>) {
      const { runId } = await harness.say(callsOf(...calls));
      const asked = await harness.pending(calls.length);
      for (const approval of asked) await harness.decide(approval, "approve");
      await harness.ended(runId);
      const ended = await Promise.all(asked.map(({ id }) => harness.approval(id)));
      return Object.fromEntries(ended.map((approval) => [approval.toolName, approval]));
    },
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

describe("arguments that are too large", () => {
  it("are refused without an approval or an effect, whether the call is gated or allowed", async () => {
    const input = { title: "Report", body: text(5 * MB) };
    await using desk = await openDesk({
      policy: definePolicy({ tools: { write: ask(), archive: allow() } }),
      reply: inTurns({ toolCalls: ["write", "archive"].map((name) => ({ name, input })) }),
    });
    const { harness, effects, lastRequest } = desk;
    const { runId } = await harness.say("Write the report");
    await harness.ended(runId);
    expect(effects).toEqual([]);
    expect(await harness.store.listApprovals({ tenantId: "acme", limit: 1 })).toEqual([]);
    const refused =
      /the arguments take 5\.0 MB of JSON, more than the maximum of 1\.0 MB; shorten \W*body\W* \(5\.0 MB\), or store/g;
    expect(lastRequest().match(refused)).toHaveLength(2);
    expect(lastRequest().split("[arguments of 5.0 MB]")).toHaveLength(3);
  });

  it("are refused in an edit, a response and a call of requireApproval()", async () => {
    const errors: unknown[] = [];
    await using desk = await openDesk({
      countersign: { limits: { argumentBytes: 1000, resultBytes: 2000 } },
    });
    const { harness } = desk;
    const { runId } = await harness.say(
      callsOf({ name: "write", input: { title: "Report", body: "short" } }),
    );
    const { id, digest } = await harness.onlyPending();
    const decide = (body: object) =>
      harness.call("finance", `/approvals/${id}/decision`, { method: "POST", body: { digest, ...body } });
    const edited = await decide({ type: "edit", input: { title: "Report", body: text(1000) } });
    expect(edited).toMatchObject({
      status: 400,
      body: { code: "invalid_edit", detail: expect.stringContaining('shorten "body" (1.0 kB)') },
    });
    const answered = await decide({ type: "respond", response: text(2000) });
    expect(answered).toMatchObject({
      status: 400,
      body: {
        code: "invalid_response",
        detail: expect.stringContaining("response: takes 2.0 kB of JSON, more than the maximum of 2.0 kB"),
      },
    });
    expect((await decide({ type: "respond", response: text(1998) })).status).toBe(200);
    await harness.ended(runId);
    expect(desk.lastRequest()).toContain(text(1998));

    await using gate = await openDesk({
      countersign: { limits: { argumentBytes: 1000 } },
      run: ({ countersign, step }) =>
        countersign
          .requireApproval(step, { action: "publish", details: { body: text(1000) } })
          .catch((error) => errors.push(error)),
    });
    const gated = await gate.harness.say("publish");
    await gate.harness.ended(gated.runId);
    expect(errors).toContainEqual(
      expect.objectContaining({
        code: "invalid_request",
        message: expect.stringContaining("details: the arguments take 1.0 kB of JSON"),
      }),
    );
  });
});

describe.each([true, false])("with checkpointing %s,", (checkpointing) => {
  it("5 MB of results, state and errors stay with their approvals, and the model reads so", async () => {
    await using desk = await openDesk({ checkpointing });
    const names = ["read", "crawl", "remember", "fail"];
    const ended = await desk.approve(...names.map((name) => ({ name, input: { bytes: 5 * MB } })));
    expect(desk.effects.toSorted()).toEqual(names.toSorted());
    const read = desk.lastRequest();
    for (const name of ["read", "crawl"]) {
      expect(ended[name]).toMatchObject({
        status: "executed",
        outcome: { data: { content: text(5 * MB) } },
      });
      expect(read).toContain(
        `The tool ran; its result of 5.0 MB is too large to be shown here (stored with ${ended[name]?.id}).`,
      );
    }
    expect(ended.remember).toMatchObject({ status: "executed" });
    expect(read).toContain("remembered");
    expect(read).toContain(
      "The tool's changes to the conversation's state (5.0 MB) are too large and were undone.",
    );
    expect(desk.harness.states.at(-1)?.data).toEqual({ requester: "requester" });
    expect(ended.fail).toMatchObject({ status: "failed" });
    expect(read).toContain("truncated; the full message has 5000000 characters");
  });

  it("an allowed result is whole as long as a model request could hold it, whatever limit others have", async () => {
    await using desk = await openDesk({
      policy: definePolicy({ tools: { "*": allow() } }),
      checkpointing,
      countersign: { limits: { resultBytes: 1000 } },
    });
    const { harness } = desk;
    const large = await harness.say(callsOf({ name: "read", input: { bytes: 5 * MB } }));
    await harness.ended(large.runId);
    const message =
      "The tool ran; its result of 5.0 MB is too large for a conversation and was not stored. Do not repeat the same call; request less data if the tool supports it.";
    expect(desk.lastRequest()).toContain(message);
    const { body } = await harness.call("requester", `/threads/${large.threadId}`);
    expect(JSON.stringify(body)).toContain(message);
    expect(JSON.stringify(body).length).toBeLessThan(10_000);

    const smaller = await harness.say(callsOf({ name: "read", input: { bytes: 2.9 * MB } }));
    await harness.ended(smaller.runId);
    expect(desk.lastRequest()).toContain(text(2.9 * MB));
  });
});

it("results too large in total are omitted in part, and the run completes", async () => {
  await using desk = await openDesk();
  const { harness } = desk;
  const call = { name: "read", input: { bytes: MB } };
  const inputs = [1, 2, 3, 4].map((n) => ({ ...call, input: { bytes: MB - n } }));
  const { runId } = await harness.say(callsOf(...inputs));
  for (const approval of await harness.pending(inputs.length)) await harness.decide(approval, "approve");
  await harness.ended(runId);
  expect(desk.effects).toHaveLength(inputs.length);
  expect(desk.lastRequest()).toContain("is omitted, because the conversation is too long");
  expect(desk.lastRequest()).toContain(text(MB - 4));
});

it("a result is shortened when it is read from its row after a crash", async () => {
  let crashed = false;
  await using desk = await openDesk({
    checkpointing: false,
    countersign: { limits: { resultBytes: 1000 } },
    onRequest: async (request, handle) => {
      const response = await handle(request);
      if (crashed || !(await response.clone().text()).includes("too large to be shown here")) return response;
      crashed = true;
      throw new Error("The answer was lost");
    },
  });
  const { harness } = desk;
  const { runId } = await harness.say(callsOf({ name: "read", input: { bytes: 2000 } }));
  await harness.decide(await harness.onlyPending(), "approve");
  await vi.waitUntil(() => crashed, { timeout: 60_000 });
  await harness.engine.idle();
  await harness.clock.advance("10m");
  await harness.ended(runId);
  expect(desk.effects).toEqual(["read"]);
  expect(desk.lastRequest()).toContain("The tool ran; its result of 2.0 kB is too large to be shown here");
});

it("createCountersign() refuses limits above those of Inngest", async () => {
  await expect(openDesk({ countersign: { limits: { argumentBytes: 3 * MB } } })).rejects.toMatchObject({
    code: "invalid_option",
    message: expect.stringContaining("limits.argumentBytes: must be at most 2000000"),
  });
});
