import { createTool } from "@inngest/agent-kit";
import { allow, ask, definePolicy, type Policy } from "countersign";
import { expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";

// From the proposal "Tool Approval & HITL Workflow in AgentKit": the listed tools wait, and all others run.
const SENSITIVE_TOOLS = ["send_email", "delete_database"];

const policies: [string, Policy][] = [
  ["written out", definePolicy({ default: allow(), tools: { send_email: ask(), delete_database: ask() } })],
  [
    "made from the list",
    definePolicy({
      default: allow(),
      tools: Object.fromEntries(SENSITIVE_TOOLS.map((name) => [name, ask()])),
    }),
  ],
];

it.each(policies)(
  "with the policy %s, the sensitive tools wait for a person and another tool runs",
  async (_, policy) => {
    await using database = await freshPostgres();
    const ran: string[] = [];
    const tools = ["send_email", "delete_database", "read_calendar"].map((name) =>
      createTool({ name, parameters: z.object({}), handler: () => ran.push(name) }),
    );
    const toolCalls = tools.map(({ name }) => ({ name, input: {} }));
    const reply = inTurns({ toolCalls: toolCalls.slice(2) }, { toolCalls: toolCalls.slice(0, 2) });
    await using harness = await openHarness({ database, policy, tools, reply });

    const { runId } = await harness.say("Tell everybody, and delete the database");
    const approvals = await harness.pending(2);
    expect(approvals.map(({ toolName }) => toolName).sort()).toEqual(SENSITIVE_TOOLS.toSorted());
    // AgentKit enters the handler of an ungated tool again on each replay.
    expect(new Set(ran)).toEqual(new Set(["read_calendar"]));

    for (const approval of approvals) {
      await harness.decide(approval, approval.toolName === "send_email" ? "approve" : "deny");
    }
    await harness.ended(runId);
    expect(ran.filter((name) => name !== "read_calendar")).toEqual(["send_email"]);
  },
);
