import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPolicy } from "@countersign/policy/files";
import { createTool } from "@inngest/agent-kit";
import { allow, ask, definePolicy } from "countersign";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { callsFromMessage, callsOf } from "../support/calls-from-message.js";
import { freshPostgres } from "../support/databases.js";
import { deskTools } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";

const policy = definePolicy({
  tools: {
    // A model need not send the types that TypeScript declares for the arguments.
    refund: ({ input }) => ((input as { amount: number }).amount > 100 ? ask() : allow()),
    lookup: allow(),
    transfer: ({ input }) => ((input as { amount: number }).amount > 100 ? ask() : allow()),
  },
});

it("a rule in code cannot allow a call whose arguments do not match the tool's schema", async () => {
  await using database = await freshPostgres();
  const { tools, effects } = deskTools();
  await using harness = await openHarness({ database, tools, policy, reply: callsFromMessage });
  for (const amount of ["12,000", { value: 12_000 }, [5000, 1], undefined]) {
    const { runId } = await harness.say(callsOf({ name: "refund", input: { id: "A-1", amount } }));
    await harness.ended(runId);
    expect(JSON.stringify(harness.model.requests.at(-1)?.body)).toContain("are not valid, so it did not run");
  }
  expect(effects).toEqual([]);
  const { runId } = await harness.say(callsOf({ name: "refund", input: { id: "A-1", amount: 12 } }));
  await harness.ended(runId);
  // AgentKit runs the handler of an allowed call again on each replay.
  expect(new Set(effects.map(({ input }) => JSON.stringify(input)))).toEqual(
    new Set(['{"id":"A-1","amount":12}']),
  );
  expect(await harness.store.listApprovals({ tenantId: "acme", limit: 9 })).toEqual([]);
});

it("an always allowed tool does not run with arguments that do not match its schema", async () => {
  await using database = await freshPostgres();
  const seen = new Set<string>();
  const lookup = createTool({
    name: "lookup",
    parameters: z.object({ id: z.string() }),
    handler: (input) => seen.add(JSON.stringify(input)),
  });
  await using harness = await openHarness({ database, tools: [lookup], policy, reply: callsFromMessage });
  for (const input of [{ id: 7 }, {}, { id: ["A-1"] }, { id: "A-1" }]) {
    const { runId } = await harness.say(callsOf({ name: "lookup", input }));
    await harness.ended(runId);
    const lastRequest = JSON.stringify(harness.model.requests.at(-1)?.body);
    expect(lastRequest.includes("are not valid, so it did not run")).toBe(input.id !== "A-1");
  }
  expect([...seen]).toEqual(['{"id":"A-1"}']);
});

describe.each([true, false])(
  "a condition on an argument of the wrong type, checkpointing %s,",
  (checkpointing) => {
    const rules = `version: 1
rules:
  - { tools: [deploy, release], verdict: allow }
  - { tools: [deploy, release], verdict: ask, when: 'input.env in ["prod", "live"]' }
`;
    const openDesk = async () => {
      const folder = mkdtempSync(join(tmpdir(), "countersign-unfit-"));
      writeFileSync(join(folder, "policy.yaml"), rules);
      const deployed: unknown[] = [];
      const handler = (input: unknown) => {
        deployed.push(input);
      };
      const tools = [
        createTool({ name: "deploy", parameters: z.object({ env: z.string() }), handler }),
        // This tool accepts any arguments.
        { ...createTool({ name: "release", parameters: z.looseObject({}), handler }), strict: false },
      ];
      const database = await freshPostgres();
      const policy = openPolicy({ defaults: join(folder, "policy.yaml"), watch: false });
      const harness = await openHarness({ database, tools, policy, reply: callsFromMessage, checkpointing });
      return {
        harness,
        deployed,
        async [Symbol.asyncDispose]() {
          await harness[Symbol.asyncDispose]();
          await database[Symbol.asyncDispose]();
          rmSync(folder, { recursive: true });
        },
      };
    };

    it("refuses the call on every replay if the tool has a schema", async () => {
      await using desk = await openDesk();
      const { harness, deployed } = desk;
      const message = callsOf(
        { name: "deploy", input: { env: ["prod"] } },
        { name: "deploy", input: { env: "prod" } },
      );
      const { runId } = await harness.say(message);
      const approval = await harness.onlyPending();
      expect(approval.input).toEqual({ env: "prod" });
      await harness.decide(approval, "approve");
      await harness.ended(runId);
      expect(deployed).toEqual([{ env: "prod" }]);
      expect(JSON.stringify(harness.model.requests.at(-1)?.body)).toContain("env: Invalid input");
    });

    it("requires approval of the call if the tool has no schema", async () => {
      await using desk = await openDesk();
      const { harness, deployed } = desk;
      const { runId } = await harness.say(callsOf({ name: "release", input: { env: ["prod"] } }));
      const approval = await harness.onlyPending();
      expect(deployed).toEqual([]);
      await harness.decide(approval, "deny");
      await harness.ended(runId);
      expect(deployed).toEqual([]);
    });
  },
);

it("an asynchronous schema lets a call with valid arguments run without approval", async () => {
  await using database = await freshPostgres();
  const seen = new Set<string>();
  const transfer = createTool({
    name: "transfer",
    parameters: z.object({ amount: z.number().refine(async (amount) => amount > 0) }),
    handler: (input) => seen.add(JSON.stringify(input)),
  });
  await using harness = await openHarness({ database, tools: [transfer], policy, reply: callsFromMessage });
  for (const amount of [50, -50]) {
    const { runId } = await harness.say(callsOf({ name: "transfer", input: { amount } }));
    await harness.ended(runId);
  }
  expect([...seen]).toEqual(['{"amount":50}']);
});
