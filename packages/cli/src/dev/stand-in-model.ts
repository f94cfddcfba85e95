import type { Conversation, OfferedTool, Reply } from "@countersign/testing";
import * as z from "zod";

/** The part of a JSON Schema from which sample arguments are made. */
const schema = z.object({ properties: z.record(z.string(), z.unknown()).default({}) });
const field = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  default: z.unknown().optional(),
});

/**
 * What stands in for a model as long as the app has no key for one: it calls the tool that the message seems to be about,
 * with what the message says, and then says what it has read.
 */
function standInReply({ messages, tools }: Conversation): Reply {
  const last = messages.at(-1);
  if (last?.role === "tool") return { text: `The tool ${last.toolName} answered: ${last.content}` };
  const text = last?.role === "user" ? last.text : "";
  const tool = toolFor(text, tools);
  if (!tool) return { text: "I have no tools." };
  return { toolCalls: [{ name: tool.name, input: sampleOf(tool.parameters, text) }] };
}

/** The tool whose name has most words in common with the message; the first one in doubt. */
function toolFor(text: string, tools: readonly OfferedTool[]): OfferedTool | undefined {
  const words = new Set(text.toLowerCase().split(/[^a-z0-9]+/));
  const common = ({ name }: OfferedTool) =>
    name
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter((word) => words.has(word)).length;
  return [...tools].sort((one, other) => common(other) - common(one))[0];
}

/** Arguments that fit simple schemas: numbers of the message where numbers are wanted, and its names for texts. */
function sampleOf(parameters: unknown, text: string): Record<string, unknown> {
  const { properties } = schema.catch({ properties: {} }).parse(parameters);
  const numbers = text.match(/(?<![\w-])\d+(?:\.\d+)?(?![\w-])/g) ?? [];
  const names = text.match(/(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]+/g) ?? [];
  const sample = ([name, described]: [string, unknown]): [string, unknown] => {
    const { type, enum: choices, default: usual } = field.catch({}).parse(described);
    if (usual !== undefined) return [name, usual];
    if (choices) return [name, choices[0]];
    switch ([type].flat()[0]) {
      case "number":
      case "integer":
        return [name, Number(numbers.shift() ?? 1)];
      case "boolean":
        return [name, true];
      case "array":
        return [name, []];
      case "object":
        return [name, {}];
      default:
        return [name, names.shift() ?? `a ${name}`];
    }
  };
  return Object.fromEntries(Object.entries(properties).map(sample));
}

/**
 * The `fetch` for calls of models: as it is with a key, and answered here without one.
 *
 * @param onFirst Called once, when it first answers.
 */
export async function modelFetch(onFirst: () => void): Promise<typeof fetch> {
  const testing = await import("@countersign/testing").catch(() => undefined);
  if (!testing) return fetch;
  const model = testing.scriptedModel({ reply: standInReply });
  let told = false;
  return async (input, init) => {
    const request = new Request(input, init);
    if (hasKey(request.headers)) return fetch(request);
    if (!told) onFirst();
    told = true;
    const headers = new Headers(request.headers);
    headers.set("authorization", "Bearer stand-in");
    headers.set("x-api-key", "stand-in");
    return model.fetch(new Request(request, { headers }));
  };
}

function hasKey(headers: Headers): boolean {
  const token = (headers.get("authorization") ?? "").replace(/^Bearer\s*/i, "");
  return token !== "" || !!headers.get("x-api-key") || !!headers.get("x-goog-api-key");
}
