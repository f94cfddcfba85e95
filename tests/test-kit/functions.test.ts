import { createTestHarness, type HarnessParts, type TestHarnessOptions } from "@countersign/testing";
import { createAgent, createTool } from "@inngest/agent-kit";
import { ask, definePolicy } from "countersign";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const effects: string[] = [];

const dropTable = ({ inngest, countersign }: HarnessParts) =>
  inngest.createFunction({ id: "drop-table", triggers: [{ event: "db/drop" }] }, async ({ event, step }) => {
    const answer = await countersign.requireApproval(step, {
      action: "drop table",
      details: { table: event.data.table },
      approvers: { roles: ["dba"] },
    });
    return answer.approved;
  });

const runAgent = ({ inngest, countersign, models }: HarnessParts) =>
  inngest.createFunction({ id: "run-agent", triggers: [{ event: "agent/run" }] }, async () => {
    const agent = countersign.guard(
      createAgent({
        name: "mailer",
        system: "You write mails.",
        model: models.anthropic,
        tools: [
          createTool({
            name: "mail",
            parameters: z.object({ to: z.string() }),
            handler: ({ to }) => {
              effects.push(to);
            },
          }),
        ],
      }),
    );
    const { output } = await agent.run("Write to ada", { maxIter: 4 });
    return output.length;
  });

const open = (functions: NonNullable<TestHarnessOptions["functions"]>) =>
  createTestHarness({
    patience: "60s",
    policy: definePolicy({ tools: { mail: ask() } }),
    functions,
    reply: ({ messages }) =>
      messages.at(-1)?.role === "user"
        ? { toolCalls: [{ name: "mail", input: { to: "ada" } }] }
        : { text: "Written." },
  });

describe("a harness with the application's Inngest functions", () => {
  it("runs a function that requires an approval", async () => {
    await using desk = await open((parts) => [dropTable(parts)]);
    const run = await desk.send({ name: "db/drop", data: { table: "users" } });
    const [call] = await run.pending();
    expect(call).toMatchObject({ toolName: "drop table", runId: run.runId });
    await desk.decide(call, { type: "approve" });
    expect(await run.ended()).toBe(true);
  });

  it("runs a function with a guarded agent", async () => {
    await using desk = await open((parts) => [runAgent(parts)]);
    const run = await desk.send({ name: "agent/run" });
    const [call] = await run.pending();
    expect(effects).toEqual([]);
    await desk.decide(call, { type: "approve" });
    await run.ended();
    expect(effects).toEqual(["ada"]);
  });

  it("requires a function id when an event starts several functions", async () => {
    const both = (parts: HarnessParts) => [
      dropTable(parts),
      parts.inngest.createFunction({ id: "note-drop", triggers: [{ event: "db/drop" }] }, () => "noted"),
    ];
    await using desk = await open(both);
    await expect(desk.send({ name: "db/drop", data: { table: "users" } })).rejects.toThrow(
      /pass the id of one of them: .*note-drop/,
    );
    const noted = await desk.send({ name: "db/drop", data: { table: "users" } }, "note-drop");
    expect(await noted.ended()).toBe("noted");
  });

  it("refuses to send a message without an agent", async () => {
    await using desk = await open((parts) => [dropTable(parts)]);
    await expect(desk.say("Hello")).rejects.toThrow("say: requires `tools` or a `network`");
  });
});
