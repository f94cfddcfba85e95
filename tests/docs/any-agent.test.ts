import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import Anthropic from "@anthropic-ai/sdk";
import { createTestHarness, type ScriptedModel, scriptedModel, type TestHarness } from "@countersign/testing";
import { ask, type Countersign, definePolicy, type Policy } from "countersign";
import { transform } from "esbuild";
import type { Inngest, InngestFunction } from "inngest";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

const page = readFileSync(new URL("../../docs/any-agent.md", import.meta.url), "utf8");
/** Inside the tests' own package, so that the programs resolve the packages as in any project. */
const folder = fileURLToPath(new URL("./.any-agent", import.meta.url));

/** What a program of the page exports. */
interface Program {
  policy?: Policy;
  shop: {
    find(orderId: string): Promise<unknown>;
    payBack(orderId: string, amount: number): Promise<string>;
  };
  desk(inngest: Inngest, countersign: Countersign, client: OpenAI | Anthropic): InngestFunction.Any;
}

/** The block of the page that has this text. */
function blockWith(text: string): string {
  const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);
  return blocks.find((code) => code.includes(text)) ?? "";
}

/** A program of the page: the block that has this text, after what it takes from elsewhere. */
async function programOf<Exports>(text: string, before = ""): Promise<Exports> {
  const source = before + blockWith(text);
  const { code } = await transform(source, { loader: "ts", target: "node20", format: "esm" });
  const file = join(folder, `${text.replace(/\W/g, "-")}.mjs`);
  writeFileSync(file, code);
  return import(pathToFileURL(file).href);
}

/** The agent with a client. Anthropic's uses the policy, the shop and the tools of the first program, which the page has once. */
function programWith(client: keyof typeof clients): Promise<Program> {
  const [shared = ""] = blockWith('from "openai"').split("/** `new OpenAI(");
  return programOf<Program>(`from "${client}"`, client === "openai" ? "" : shared);
}

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const outcomes = ["executed", "responded", "refused", "failed"] as const;
type Outcome = (typeof outcomes)[number] | "interrupted";

/** A call that ends in this way. */
const callFor = (outcome: Outcome, turn: number) =>
  outcome === "failed"
    ? { name: "look_up_order", input: { orderId: "broken" } }
    : { name: "issue_refund", input: { orderId: `${outcome}-${turn}`, amount: turn + 1 } };

const turnsSchema = z.array(z.array(z.enum([...outcomes, "interrupted"])));

/** A model that makes the calls that the user's message lists for each of its turns, and then says how many results it has. */
const model = () =>
  scriptedModel({
    reply: ({ messages }) => {
      const [first] = messages;
      const turns = turnsSchema.parse(JSON.parse(first?.role === "user" ? first.text : "[]"));
      const turn = messages.filter(({ role }) => role === "assistant").length;
      const calls = turns[turn]?.map((outcome) => callFor(outcome, turn));
      if (calls) return { text: `Turn ${turn}`, toolCalls: calls };
      return { text: String(messages.filter(({ role }) => role === "tool").length) };
    },
  });

const clients = {
  openai: (url: string) => new OpenAI({ apiKey: "any", baseURL: `${url}/v1`, maxRetries: 0 }),
  "@anthropic-ai/sdk": (url: string) => new Anthropic({ apiKey: "any", baseURL: url, maxRetries: 0 }),
};

/** Runs the page's agent, whose model makes these calls, turn by turn. */
async function run(
  client: keyof typeof clients,
  turns: Outcome[][],
  before: (desk: TestHarness) => void = () => {},
) {
  const { policy } = await programWith("openai");
  const program = await programWith(client);
  const ran: string[] = [];
  program.shop.find = () => Promise.reject(new Error("The shop is closed"));
  program.shop.payBack = async (orderId) => {
    ran.push(orderId);
    return orderId.endsWith("-0") ? "" : `paid for ${orderId}`;
  };
  const scripted = model();
  await using server = await scripted.listen();
  if (!policy) throw new Error("The first program has the policy");
  await using desk = await createTestHarness({
    ...{ policy, patience: "10m", reply: () => ({ text: "unused" }) },
    people: { finn: { id: "finn", roles: ["finance"] } },
    functions: ({ inngest, countersign }) => [
      program.desk(inngest, countersign, clients[client](server.url)),
    ],
  });
  before(desk);
  desk.answerAll(({ inputJson }) => {
    const by = "finn";
    if (inputJson.includes("responded")) return { by, type: "respond", response: { by: "hand" } };
    if (inputJson.includes("refused")) return { by, type: "deny", reason: "Too late" };
    return { by, type: "approve" };
  });
  const started = await desk.send({
    name: "desk/message",
    data: { userId: "requester", text: JSON.stringify(turns) },
  });
  return { ended: await started.ended(), ran, scripted };
}

/** Results in the last request, whatever its format. */
function resultsIn({ requests }: ScriptedModel): string[] {
  const turns = requests.at(-1)?.conversation?.messages ?? [];
  return turns.flatMap((turn) => (turn.role === "tool" ? [turn.content] : []));
}

const says: Record<Outcome, RegExp> = {
  executed: /^$|^paid for executed/,
  responded: /^\{"by":"hand"\}$/,
  refused: /Their reason: Too late\./,
  failed: /^Error: The shop is closed$/,
  interrupted: /may or may not have run|interrupted/,
};

describe.each(Object.keys(clients) as (keyof typeof clients)[])("the page's agent with %s", (client) => {
  it("sends back a valid transcript, whatever became of the calls", async () => {
    // Every mix of outcomes in one response.
    const turns = Array.from({ length: 2 ** outcomes.length - 1 }, (_, mix) =>
      outcomes.filter((_outcome, bit) => (mix + 1) & (1 << bit)),
    );
    const { ended, ran, scripted } = await run(client, turns);
    expect(scripted.requests.map(({ error, status }) => error ?? status)).toEqual(
      Array.from({ length: turns.length + 1 }, () => 200),
    );
    const results = resultsIn(scripted);
    expect(ended).toBe(String(turns.flat().length));
    for (const [index, outcome] of turns.flat().entries()) expect(results[index]).toMatch(says[outcome]);
    expect(ran).toHaveLength(turns.filter((mix) => mix.includes("executed")).length);
  });

  it("sends back a valid transcript after a crash in the middle of a call", async () => {
    const mix: Outcome[] = ["interrupted", "executed", "responded", "refused", "failed"];
    const { ended, ran, scripted } = await run(client, [mix], (desk) => desk.crashAt("after-claim"));
    expect(scripted.requests.map(({ error, status }) => error ?? status)).toEqual([200, 200]);
    expect(ended).toBe("5");
    for (const [index, result] of resultsIn(scripted).entries()) {
      expect(result).toMatch(says[mix[index] ?? "failed"]);
    }
    expect(ran).toEqual(["executed-0"]);
  });
});

describe("the page's way in of one's own", () => {
  interface Tool {
    name: string;
    description: string;
    schema: z.ZodType;
    invoke(input: unknown, call: { id: string }): Promise<string>;
  }
  interface Model {
    invoke(messages: string[]): Promise<string>;
  }

  /** A framework whose model answers with the names of tools to call, or with its last word. */
  const framework = `
    async function runAgent(model, tools, prompt) {
      const messages = [prompt];
      for (;;) {
        const answer = JSON.parse(await model.invoke(messages));
        if (answer.say) return answer.say + ": " + messages.slice(1).join(", ");
        const results = await Promise.all(answer.calls.map(({ id, name, input }) =>
          tools.find((tool) => tool.name === name).invoke(input, { id }).catch((error) => "error " + error.message)));
        messages.push(...results);
      }
    }
  `;

  it("asks about the calls, runs each of them once, and asks no model twice", async () => {
    const program = await programOf<{
      desk(inngest: Inngest, countersign: Countersign, model: Model, tools: Tool[]): InngestFunction.Any;
    }>("interface FrameworkTool", framework);
    const calls = ["A-1", "A-2", "A-3"].map((orderId, at) => ({
      id: `c${at}`,
      name: "issue_refund",
      input: { orderId },
    }));
    const asked: string[][] = [];
    const model: Model = {
      invoke: async (messages) => {
        asked.push(messages);
        return JSON.stringify(messages.length === 1 ? { calls } : { say: "Done" });
      },
    };
    const ran: string[] = [];
    const issueRefund: Tool = {
      name: "issue_refund",
      description: "Pays money back.",
      schema: z.object({ orderId: z.string() }),
      invoke: async (input) => {
        const { orderId } = z.object({ orderId: z.string() }).parse(input);
        ran.push(orderId);
        return `paid for ${orderId}`;
      },
    };
    await using desk = await createTestHarness({
      policy: definePolicy({ tools: { issue_refund: ask({ approvers: { roles: ["finance"] } }) } }),
      patience: "10m",
      reply: () => ({ text: "unused" }),
      people: { finn: { id: "finn", roles: ["finance"] } },
      functions: ({ inngest, countersign }) => [program.desk(inngest, countersign, model, [issueRefund])],
    });
    desk.answerAll(({ inputJson }) =>
      inputJson.includes("A-2")
        ? { by: "finn", type: "deny", reason: "Too late" }
        : { by: "finn", type: "approve" },
    );
    const started = await desk.send({ name: "desk/message", data: { userId: "requester", text: "go" } });
    expect(await started.ended()).toMatch(
      /^Done: paid for A-1, error .*Their reason: Too late\. .*, paid for A-3$/,
    );
    expect(ran.sort()).toEqual(["A-1", "A-3"]);
    expect(asked).toHaveLength(2);
  });
});
