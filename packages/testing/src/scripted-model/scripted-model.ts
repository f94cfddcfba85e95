import { anthropicFormat } from "./anthropic/anthropic-format.js";
import type { Conversation, ModelFormat } from "./conversation.js";
import { listen, type ModelServer } from "./listen.js";
import { ModelRefusal } from "./model-refusal.js";
import { openAiFormat } from "./openai/openai-format.js";
import type { ProviderFormat } from "./provider-format.js";
import { type Reply, resolveReply } from "./reply.js";

export interface ScriptedModelOptions {
  /** Decides the next answer. Called only for requests that the provider would accept. */
  reply: (conversation: Conversation) => Reply | Promise<Reply>;
}

/** One request as it came in, and how it was answered. */
export interface RecordedRequest {
  format: ModelFormat;
  /** The parsed body, or the raw text if it is not JSON. */
  body: unknown;
  status: number;
  /** The request in a format-independent form; `undefined` if it was refused. */
  conversation?: Conversation;
  /** The refusal's message. */
  error?: string;
}

export interface ScriptedModel {
  /** Answers `POST /v1/chat/completions` and `POST /v1/messages`; `/v1` is optional. */
  fetch(request: Request): Promise<Response>;
  /** Serves `fetch` on a real port; 0, the default, picks a free one. */
  listen(options?: { port?: number }): Promise<ModelServer>;
  /** All requests in order of arrival. */
  readonly requests: readonly RecordedRequest[];
}

const formats: Record<string, ProviderFormat> = {
  "/chat/completions": openAiFormat,
  "/messages": anthropicFormat,
};

/**
 * A model whose answers are a function of the conversation, behind the wire formats of OpenAI and Anthropic. It refuses
 * what those providers refuse: a transcript that passes here has no unanswered call and no orphan result.
 *
 * @example
 * ```ts
 * import { openai } from "@inngest/agent-kit";
 * import { scriptedModel } from "@countersign/testing";
 *
 * const model = scriptedModel({ reply: () => ({ toolCalls: [{ name: "lookup", input: { id: "A-1" } }] }) });
 * const server = await model.listen();
 * export const agentModel = openai({ model: "scripted", apiKey: "any", baseUrl: `${server.url}/v1` });
 * ```
 */
export function scriptedModel({ reply }: ScriptedModelOptions): ScriptedModel {
  const requests: RecordedRequest[] = [];

  async function fetch(request: Request): Promise<Response> {
    const format = formats[new URL(request.url).pathname.replace(/^\/v1(?=\/)/, "")];
    if (!format) return Response.json({ error: { message: "Unknown request URL" } }, { status: 404 });
    if (request.method !== "POST") {
      return Response.json(
        { error: { message: "Method not allowed" } },
        { status: 405, headers: { allow: "POST" } },
      );
    }
    const text = await request.text();
    const record: RecordedRequest = { format: format.name, body: text, status: 200 };
    requests.push(record);
    try {
      format.authorize(request.headers);
      record.body = parseBody(format, text);
      const accepted = format.accept(record.body);
      record.conversation = accepted.conversation;
      const answer = await runScript(format, accepted.conversation);
      return Response.json(accepted.respond(resolveReply(accepted.conversation, answer)));
    } catch (error) {
      if (!(error instanceof ModelRefusal)) throw error;
      record.status = error.status;
      record.error = error.message;
      return Response.json(error.body, { status: error.status });
    }
  }

  async function runScript(format: ProviderFormat, conversation: Conversation): Promise<Reply> {
    try {
      return await reply(conversation);
    } catch (error) {
      throw format.failed(`The script failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  return { fetch, listen: ({ port = 0 } = {}) => listen(fetch, port), requests };
}

function parseBody(format: ProviderFormat, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw format.malformed();
  }
}
