import {
  type Conversation,
  type Reply,
  scriptedModel,
  type ToolTurn,
  type UserTurn,
} from "@countersign/testing";
import { z } from "zod";
import type { Journal } from "../journal.js";
import { listen, type Server } from "./server.js";

/** Checks whether a run may go on to this turn; called before each answer. */
export type BeforeTurn = (run: number, turn: number) => Promise<void>;

/**
 * The model: proposes what the plan says, and refuses transcripts that OpenAI or Anthropic would refuse, each of which
 * is a violation. The results of earlier calls that it reads go into the journal.
 */
export async function openModel(journal: Journal, beforeTurn: BeforeTurn): Promise<Server> {
  const model = scriptedModel({
    async reply(conversation) {
      const { run, since } = lastMessage(conversation);
      const plan = journal.runs.get(run);
      if (!plan) throw new Error(`There is no plan for run ${run}`);
      const turn = since.filter((message) => message.role === "assistant").length;
      for (const answer of since.filter((message): message is ToolTurn => message.role === "tool")) {
        const ref = answer.toolCallId.replace(/^call_/, "");
        journal.told.set(ref, { content: answer.content });
      }
      journal.asked.add(`${run}.${turn}`);
      await beforeTurn(run, turn);
      const calls = plan.turns[turn];
      if (!calls) return { text: `Done with ${run}.` };
      return {
        text: `Turn ${turn} of ${run}.`,
        toolCalls: calls.map(({ ref, tool, input }) => ({ id: `call_${ref}`, name: tool, input })),
      } satisfies Reply;
    },
  });
  const server = await listen(async (request) => {
    journal.count("model requests");
    const response = await model.fetch(request);
    if (!response.ok) {
      const refused = model.requests.findLast(({ error }) => error !== undefined);
      journal.violate({
        name: "invalid-transcript",
        invariant: "I6",
        message: `The ${refused?.format} model refused a request: ${refused?.error} It was: ${outline(refused?.body)}`,
      });
    }
    return response;
  });
  return server;
}

const outlined = z.looseObject({ messages: z.array(z.looseObject({ role: z.string() })) });

/** The roles and kinds of the messages of a request, in order. */
function outline(body: unknown): string {
  const read = outlined.safeParse(body);
  if (!read.success) return "unreadable";
  return read.data.messages
    .map(({ role, ...rest }) => `${role} ${JSON.stringify(rest).slice(0, 200)}`)
    .join(" | ");
}

/** The run of the last user message, and the messages since. */
function lastMessage({ messages }: Conversation): { run: number; since: Conversation["messages"] } {
  const place = messages.findLastIndex(
    (message) => message.role === "user" && numberIn(message) !== undefined,
  );
  const message = messages[place];
  const run = message?.role === "user" ? numberIn(message) : undefined;
  if (run === undefined) throw new Error("No message of a user names a run");
  return { run, since: messages.slice(place + 1) };
}

/** Agents of the AI SDK join messages of the user that nothing stands between. The last one counts. */
function numberIn({ text }: UserTurn): number | undefined {
  const found = /chaos (\d+)$/.exec(text);
  return found ? Number(found[1]) : undefined;
}
