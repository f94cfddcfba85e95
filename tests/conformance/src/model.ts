import type { AddressInfo } from "node:net";
import { type Conversation, type Reply, scriptedModel } from "@countersign/testing";
import { createAdaptorServer } from "@hono/node-server";
import { z } from "zod";

/** Messages that this model answers itself, in ways in which the demo's model never would. */
export const messages = {
  refundThenFail: "Refund 12 EUR of A-1001, and then be out of order",
  tooLargeArguments: "Send an email that is too large",
  tooLargeResult: "Send an email whose result is too large",
  emojiAtTheCut: "Refund an order whose number is too long",
  recall: "What was done so far?",
} as const;

/** The default of `limits.argumentBytes` and of `limits.resultBytes`. */
const limitBytes = 1024 * 1024;

/** Arguments of `send_email` that take this many bytes of JSON. */
function emailOf(bytes: number) {
  const email = { to: "customer@example.com", subject: "", body: "" };
  return { ...email, subject: "x".repeat(bytes - JSON.stringify(email).length) };
}

/** The tool's error repeats this number after 18 characters and is cut after 10,000: in the middle of the emoji. */
const emojiAtTheCut = `${"x".repeat(9_981)}😀${"x".repeat(100)}`;

/** The answers of the model, turn by turn. After the last one it repeats the results of its calls. */
const scripts: Record<string, Reply[]> = {
  [messages.refundThenFail]: [
    { toolCalls: [{ name: "issue_refund", input: { orderId: "A-1001", customerId: "C-1", amount: 12 } }] },
  ],
  [messages.tooLargeArguments]: [{ toolCalls: [{ name: "send_email", input: emailOf(2 * limitBytes) }] }],
  // The tool returns the subject in a result that is larger than the arguments.
  [messages.tooLargeResult]: [{ toolCalls: [{ name: "send_email", input: emailOf(limitBytes) }] }],
  [messages.emojiAtTheCut]: [
    {
      toolCalls: [{ name: "issue_refund", input: { orderId: emojiAtTheCut, customerId: "C-1", amount: 12 } }],
    },
  ],
  [messages.recall]: [],
};

const conversation = z.object({
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
});

export interface ServedModel extends AsyncDisposable {
  url: string;
}

/** A model for the demo: the demo's own, except for the messages above. */
export async function serveModel(demoUrl: string): Promise<ServedModel> {
  const own = scriptedModel({ reply });
  const answer = async (request: Request): Promise<Response> => {
    const body = await request.text();
    const { pathname } = new URL(request.url);
    const authorization = request.headers.get("authorization") ?? "";
    const post = { method: "POST", headers: { authorization, "content-type": "application/json" }, body };
    const asked = conversation.parse(JSON.parse(body)).messages;
    const at = asked.findLastIndex(({ role }) => role === "user");
    const message = String(asked[at]?.content);
    if (!(message in scripts)) return fetch(`${demoUrl}/model${pathname}`, post);
    const isAnswered = asked.slice(at).some(({ role }) => role === "assistant");
    if (message === messages.refundThenFail && isAnswered) {
      return Response.json({ error: { message: "The model is out of order" } }, { status: 400 });
    }
    return own.fetch(new Request(request.url, post));
  };
  const server = createAdaptorServer({ fetch: answer });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      if ("closeAllConnections" in server) server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function reply({ messages }: Conversation): Reply {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const asked = messages[at];
  const turns = asked?.role === "user" ? (scripts[asked.text] ?? []) : [];
  const answered = messages.slice(at).filter(({ role }) => role === "assistant").length;
  return turns[answered] ?? { text: recall(messages) };
}

/** The calls and results of the conversation, one a line. */
function recall(messages: Conversation["messages"]): string {
  const lines = messages.flatMap((turn) => {
    if (turn.role === "tool") return [`${turn.toolName} gave ${turn.content}`];
    if (turn.role !== "assistant") return [];
    return turn.toolCalls.map(({ name, input }) => `${name} was called with ${JSON.stringify(input)}`);
  });
  return lines.map((line) => (line.length > 1000 ? `${line.slice(0, 1000)} …` : line)).join("\n");
}
