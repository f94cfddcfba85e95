import { createTool } from "@inngest/agent-kit";
import { ask, definePolicy } from "countersign";
import { expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { openDeliveryDesk } from "../support/delivery-desk.js";
import { inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";
import { proposeCall } from "../support/proposals.js";
import { recordingChannel } from "../support/recording-channel.js";

const found = [
  { toolName: "read_file", line: 1, column: 1 },
  { toolName: "delete_file", line: 3, column: 1 },
];
const line =
  "This code appears to use: read_file (line 1), delete_file (line 3). Found by reading the code, not by running it. It may use other tools.";

it("a card says in one line which tools a script appears to call, and nothing without a preview", async () => {
  const { channel, sent } = recordingChannel();
  await using desk = await openDeliveryDesk(channel);
  const propose = (codePreview: typeof found | null) =>
    proposeCall(desk.store, { notify: [channel.name], input: { code: "x" }, terms: { codePreview } });
  const [previewed] = await propose(found);
  const [plain] = await propose(null);
  await desk.sendAll();
  const shown = (call: typeof plain) => sent.find(({ card }) => card.approvalId === call?.id)?.card;
  expect(shown(previewed)?.codePreview).toBe(line);
  expect(shown(plain)?.codePreview).toBeNull();
});

it.each([
  ["the whole script", { redact: ["code"] }, []],
  ["a part of it", { redactPatterns: ["s3cret"] }, ["read", "[hidden]"]],
])("a preview reveals nothing of a script if a rule hides %s", async (_what, hiding, names) => {
  await using database = await freshPostgres();
  const run = createTool({ name: "run", parameters: z.object({ code: z.string() }), handler: () => "ran" });
  const codePreview = { field: "code", object: "codemode" };
  await using harness = await openHarness({
    ...{ database, tools: [run], policy: definePolicy({ tools: { run: ask({ codePreview, ...hiding }) } }) },
    reply: inTurns({
      toolCalls: [{ name: "run", input: { code: 'codemode.read(); codemode["s3cret"]()' } }],
    }),
  });
  const { runId } = await harness.say("Run it");
  const call = await harness.onlyPending();
  expect(call.codePreview?.map(({ toolName }) => toolName)).toEqual(names);
  await harness.decide(call, "deny");
  await harness.ended(runId);
});
