import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createTestHarness, type Reply } from "@countersign/testing";
import { createAgent, createNetwork, openai, type Tool } from "@inngest/agent-kit";
import { definePolicy } from "countersign";
import { transform } from "esbuild";
import type { Inngest } from "inngest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inTurns } from "../support/desk-tools.js";
import { eventually } from "../support/harness.js";

const page = readFileSync(new URL("../../docs/from-wait-for-event.md", import.meta.url), "utf8");
/** Inside the tests' own package, so that the sample resolves the packages as in any project. */
const folder = fileURLToPath(new URL("./.from-wait-for-event", import.meta.url));

/** What the page's first sample exports, and the functions that it declares as somebody's own. */
interface Sample {
  own: {
    postButtons(text: string, ticketId: string): Promise<void>;
    payBack(orderId: string, amount: number): Promise<string>;
  };
  issueRefund(ticketId: string): Tool.Any;
  pressed(inngest: Inngest, ticketId: string, approved: boolean): Promise<unknown>;
}

const ownFunctions = `
  export const own = {};
  const postButtons = (...given) => own.postButtons(...given);
  const payBack = (...given) => own.payBack(...given);
`;

async function loadSample(): Promise<Sample> {
  const [, sample = ""] = /^```ts\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const { code } = await transform(ownFunctions + sample, { loader: "ts", target: "node20", format: "esm" });
  const file = join(folder, "sample.mjs");
  writeFileSync(file, code);
  return import(pathToFileURL(file).href);
}

const refund = (orderId: string) => ({ name: "issue_refund", input: { orderId, amount: 20 } });

describe("the page's wait by hand", () => {
  let sample: Sample;
  beforeAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    sample = await loadSample();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs an agent with the tool, for the ticket T-1. `onPost` is called in the step that posts the buttons. */
  async function open(reply: Reply, onPost: (press: () => Promise<unknown>) => Promise<unknown>) {
    const posted: string[] = [];
    const paid: string[] = [];
    let client: Inngest | undefined;
    const press = async () => client && sample.pressed(client, "T-1", true);
    sample.own.postButtons = async (text) => {
      posted.push(text);
      await onPost(press);
    };
    sample.own.payBack = async (orderId) => {
      paid.push(orderId);
      return "paid";
    };
    const model = openai({ model: "gpt-4.1-mini", apiKey: "any" });
    const desk = await createTestHarness({
      policy: definePolicy({ tools: {} }),
      reply: inTurns(reply),
      functions: ({ inngest }) => {
        client = inngest;
        return [
          inngest.createFunction(
            { id: "support", triggers: [{ event: "support/asked" }] },
            async ({ event }) => {
              const tools = [sample.issueRefund(String(event.data.ticketId))];
              const agent = createAgent({ name: "desk", system: "Refund.", model, tools });
              // Only in a network does AgentKit give handlers its `step`.
              const router = ({ callCount }: { callCount: number }) => (callCount < 2 ? agent : undefined);
              await createNetwork({ name: "support", agents: [agent], router }).run("Refund");
            },
          ),
        ];
      },
    });
    const { ended } = await desk.send({ name: "support/asked", data: { ticketId: "T-1" } });
    return {
      ...{ desk, posted, paid, press, ended },
      /** Resolves once the run waits after this many messages. */
      async waits(messages: number) {
        await eventually(() => posted.length === messages || undefined, `message ${messages}`, 30_000);
        await desk.unstable.engine.idle();
      },
      [Symbol.asyncDispose]: () => desk[Symbol.asyncDispose](),
    };
  }

  it("loses an answer that comes before the wait", async () => {
    await using world = await open({ toolCalls: [refund("A-1")] }, (press) => press());
    await world.waits(1);
    await world.desk.advance("4h");
    await world.ended();
    expect(world.paid).toEqual([]);
  });

  it("lets a second press on one message approve the next call", async () => {
    await using world = await open({ toolCalls: [refund("A-1"), refund("A-2")] }, async () => {});
    await world.waits(1);
    await world.press();
    await world.waits(2);
    expect(world.posted).toEqual(["Refund 20 EUR for A-1?", "Refund 20 EUR for A-2?"]);
    expect(world.paid).toEqual(["A-1"]);
    await world.press();
    await world.ended();
    expect(world.paid).toEqual(["A-1", "A-2"]);
  });

  it("drops a press after its time", async () => {
    await using world = await open({ toolCalls: [refund("A-1")] }, async () => {});
    await world.waits(1);
    await world.desk.advance("4h");
    await world.ended();
    await world.press();
    await world.desk.unstable.engine.idle();
    expect(world.paid).toEqual([]);
  });
});
