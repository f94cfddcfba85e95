import { NonRetriableError } from "inngest";
import { mistake } from "../../call/run/mistake.js";
import { throwNotedFailure } from "../loop/failures.js";
import { fromMemo, toMemo } from "./memo.js";
import { noteResponse } from "./responses.js";

/** The part of a language model of the AI SDK that a durable one uses, of its specifications v3 (`ai` 6) and v4 (`ai` 7). */
export interface LanguageModelLike {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<object>;
  doStream(options: never): PromiseLike<{ stream: ReadableStream<unknown> }>;
}

/** The step tools that a durable model needs: those of the Inngest function. */
export interface ModelSteps {
  run(id: string, work: () => Promise<unknown>): Promise<unknown>;
}

/** How the steps of a durable model are called. */
export interface DurableModelOptions {
  /**
   * Names the steps. Inngest counts those of one name, so models that answer side by side, as two `generateText` in one
   * `Promise.all`, need a name each. @default "model"
   */
  id?: string;
}

/**
 * A model each of whose answers is a step of the run: a replay has the same answer again and asks nobody. A stream is
 * simulated from the answer, which arrives as a whole. Errors that the provider calls final end the run; the others are
 * Inngest's to retry, so the AI SDK's own `maxRetries` finds nothing to do.
 *
 * @throws CountersignError `invalid_option` for a model that is only a name, and without step tools.
 *
 * @example
 * ```ts
 * import { durableModel } from "countersign/ai-sdk";
 *
 * declare const model: Parameters<typeof durableModel>[0];
 * declare const step: Parameters<typeof durableModel>[1];
 *
 * export const durable = durableModel(model, step);
 * ```
 */
export function durableModel<Model extends LanguageModelLike>(
  model: Model,
  step: ModelSteps,
  { id = "model" }: DurableModelOptions = {},
): Model {
  checkArguments(model, step, id);
  const answered = async (ask: () => Promise<object>): Promise<Record<string, unknown>> => {
    throwNotedFailure();
    const memo = await step.run(id, () => ask().then(toMemo, throwForEngine));
    return fromMemo(memo) as Record<string, unknown>;
  };
  const doGenerate = async (options: never) => {
    const answer = await answered(async () => withoutTransport(await model.doGenerate(options)));
    noteResponse(answer.content);
    return answer;
  };
  const doStream = async (options: never) => {
    const answer = await answered(async () => {
      const { stream } = await model.doStream(options);
      return { parts: await partsOf(stream) };
    }).catch(throwForStream);
    const parts = answer.parts as unknown[];
    noteResponse(parts);
    return { stream: streamOf(parts) };
  };
  const own = new Map<PropertyKey, unknown>([
    ["doGenerate", doGenerate],
    ["doStream", doStream],
  ]);
  return new Proxy(model, { get: (target, name) => own.get(name) ?? Reflect.get(target, name, target) });
}

function checkArguments(model: unknown, step: unknown, id: unknown): void {
  if (typeof Object(model).doGenerate !== "function" || typeof Object(model).doStream !== "function") {
    const given = typeof model === "string" ? `"${model}" is only the name of one` : "this is none";
    throw mistake(
      "invalid_option",
      `durableModel(): model: must be a language model of the AI SDK, and ${given}. Pass the model itself, such as openai("gpt-5") or gateway("openai/gpt-5").`,
    );
  }
  if (typeof Object(step).run !== "function") {
    throw mistake(
      "invalid_option",
      "durableModel(): step: must be the step tools that the Inngest function gets: ({ step }) => durableModel(model, step).",
    );
  }
  if (typeof id !== "string" || id === "") {
    throw mistake("invalid_option", "durableModel(): id: must be a text, which names the steps.");
  }
}

/** Without the request and the raw response, which nobody needs again and a step's output should not hold. */
function withoutTransport(result: object): object {
  const { request: _, response, ...kept } = result as { request?: unknown; response?: object };
  if (!response) return kept;
  const { headers: __, body: ___, ...named } = response as { headers?: unknown; body?: unknown };
  return { ...kept, response: named };
}

interface Part {
  type: string;
  id?: string;
  delta?: string;
  error?: unknown;
}

/** The parts of a stream, in which the text of one block is one part. */
async function partsOf(stream: ReadableStream<unknown>): Promise<Part[]> {
  const parts: Part[] = [];
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return parts;
    const part = value as Part;
    if (part.type === "error") throw part.error instanceof Error ? part.error : new Error(textOf(part.error));
    if (part.type === "raw" || part.type === "ping") continue;
    const last = parts.at(-1);
    const continues = part.delta !== undefined && last?.type === part.type && last.id === part.id;
    if (continues) parts[parts.length - 1] = { ...last, ...part, delta: `${last.delta}${part.delta}` };
    else parts.push(part);
  }
}

function textOf(error: unknown): string {
  return typeof error === "string" ? error : (JSON.stringify(error) ?? "The model's stream failed");
}

function streamOf(parts: readonly unknown[]): ReadableStream<unknown> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

/**
 * From its second response on, `streamText` makes a part of its stream of any error, and then ends as if the responses before
 * it were all. It passes on only errors with this mark.
 */
function throwForStream(error: unknown): never {
  if (error instanceof Error)
    Object.assign(error, { [Symbol.for("vercel.ai.error.AI_NoOutputGeneratedError")]: true });
  throw error;
}

/** A final error of a provider must not be tried again. */
function throwForEngine(error: unknown): never {
  if (error instanceof Error && Reflect.get(error, "isRetryable") === false) {
    throw new NonRetriableError(error.message, { cause: error });
  }
  throw error;
}
