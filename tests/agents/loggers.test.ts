import { PassThrough } from "node:stream";
import { createTool } from "@inngest/agent-kit";
import { ask, definePolicy, type Logger } from "countersign";
import pino from "pino";
import { expect, it } from "vitest";
import winston from "winston";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { openHarness } from "../support/harness.js";

/** A logger that writes JSON lines, and what it has written. */
function withLines(create: (stream: PassThrough) => Logger) {
  const stream = new PassThrough();
  let text = "";
  stream.on("data", (chunk) => {
    text += chunk;
  });
  const logger = create(stream);
  const lines = (): Record<string, unknown>[] =>
    text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { logger, lines };
}

it.each<[string, string, unknown, (stream: PassThrough) => Logger]>([
  ["pino", "msg", 40, (stream) => pino(stream)],
  ["a child of a pino", "msg", 40, (stream) => pino(stream).child({ app: "desk" })],
  [
    "winston",
    "message",
    "warn",
    (stream) => winston.createLogger({ transports: [new winston.transports.Stream({ stream })] }),
  ],
])("%s gets the message and all fields of a warning", async (_name, message, level, create) => {
  const { logger, lines } = withLines(create);
  await using database = await freshPostgres();
  await using harness = await openHarness({
    database,
    countersign: { logger },
    policy: definePolicy({ tools: { refund: ask() } }),
    tools: [createTool({ name: "refnd", parameters: z.object({}), handler: () => "ran" })],
    reply: () => ({ text: "Hello" }),
  });
  const { runId } = await harness.say("Hello");
  await harness.ended(runId);
  expect(lines()).toContainEqual(
    expect.objectContaining({
      level,
      toolName: "refnd",
      agentName: "support",
      [message]: expect.stringContaining('No rule of the policy covers "refnd"'),
    }),
  );
  harness.countersign.logger.error("Could not send wake-up", { error: "ECONNREFUSED" });
  expect(lines().at(-1)).toMatchObject({ [message]: "Could not send wake-up", error: "ECONNREFUSED" });
});
