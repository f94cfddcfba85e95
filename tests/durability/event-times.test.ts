import type { SentEvent } from "@countersign/testing";
import { ask, definePolicy, notify } from "countersign";
import { expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { eventually, openHarness } from "../support/harness.js";
import { recordingChannel } from "../support/recording-channel.js";

const startFunctions = [
  "countersign/approval.decided",
  "countersign/approval.pending",
  "countersign/approval.reminder",
  "countersign/call.notified",
  "countersign/canary.started",
  "countersign/delivery.due",
  "countersign/request.opened",
];

it("events that start functions never carry a time after the database's", async () => {
  const sent: (SentEvent & { at: number })[] = [];
  await using database = await freshPostgres();
  await using harness = await openHarness({
    database,
    tools: deskTools().tools,
    reply: inTurns({ toolCalls: [{ name: "refund", input: { id: "A-2", amount: 5 } }] }),
    policy: definePolicy({
      tools: {
        lookup: notify(),
        refund: ask({
          timeout: "1h",
          escalation: [{ after: "10m", remind: true }],
          notify: ["test:#finance"],
        }),
      },
    }),
    countersign: { channels: [recordingChannel().channel] },
    onEvent: (event) => {
      sent.push({ ...event, at: harness.clock.now() });
      return "deliver";
    },
  });
  // The database's clock is two hours ahead of this process.
  await harness.clock.advance("2h");
  const { externalCalls } = harness.countersign;
  const program = { id: "bot", tenantId: "acme", roles: [] };
  await externalCalls.request({ principal: program, toolName: "lookup", input: { id: "A-1" } });
  await externalCalls.request({ principal: program, toolName: "refund", input: { id: "A-1", amount: 80 } });
  const { runId } = await harness.say("Refund A-2");
  const calls = await harness.pending(2);
  const seen = () => new Set(sent.map(({ name }) => name));
  await eventually(async () => {
    if (seen().has("countersign/approval.reminder") && seen().has("countersign/canary.started")) return true;
    await harness.clock.advance("1m");
    return undefined;
  }, "a reminder and a canary");
  for (const call of calls) await harness.decide(call, "deny");
  await harness.ended(runId);
  await eventually(() => (startFunctions.every((name) => seen().has(name)) ? true : undefined), "all events");
  for (const { name, ts, at } of sent.filter((event) => startFunctions.includes(event.name))) {
    expect(ts, name).toBeLessThan(at + 60_000);
  }
});
