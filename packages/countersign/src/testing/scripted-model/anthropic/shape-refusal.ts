import type { z } from "zod";
import type { ModelRefusal } from "../model-refusal.js";
import { refuse } from "./refuse.js";

type Issue = z.ZodError["issues"][number];

/** Says what is wrong with a request's shape in the provider's words. Only the first problem is named, as there. */
export function shapeRefusal(error: z.ZodError, body: unknown): ModelRefusal {
  const issue = error.issues[0];
  if (!issue) return refuse("Invalid request.");
  if (issue.path.at(-1) === "role" && issue.input === "system") {
    return refuse(
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    );
  }
  if (issue.code === "unrecognized_keys") {
    return refuse(`${pathOf([...issue.path, issue.keys[0] ?? ""], body)}: Extra inputs are not permitted`);
  }
  return refuse(`${pathOf(issue.path, body)}: ${problemOf(issue)}`);
}

function problemOf(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? "Field required"
        : `Input should be ${nouns[issue.expected] ?? issue.expected}`;
    case "invalid_format":
      return `String should match pattern '${(issue.pattern ?? "").replace(/^\/|\/$/g, "")}'`;
    case "too_small":
      return issue.origin === "string"
        ? `String should have at least ${issue.minimum} character`
        : `Input should be greater than or equal to ${issue.minimum}`;
    case "invalid_value":
      if (issue.input === undefined) return "Field required";
      return `Input should be ${issue.values.map((value) => `'${String(value)}'`).join(" or ")}`;
    case "invalid_union":
      return blockTags;
    default:
      return issue.message;
  }
}

const blockTags =
  "Input tag found using 'type' does not match any of the expected tags: 'document', 'image', 'search_result', 'text', 'tool_result', 'tool_use'";

const nouns: Record<string, string> = {
  string: "a valid string",
  array: "a valid list",
  object: "a valid dictionary",
  record: "a valid dictionary",
  int: "a valid integer",
  number: "a valid integer",
  boolean: "a valid boolean",
};

/** `messages.1.content.0.tool_use.id`: the provider names the block's type after its index. */
function pathOf(path: readonly PropertyKey[], body: unknown): string {
  const keys: string[] = [];
  let value = body;
  for (const [index, key] of path.entries()) {
    keys.push(String(key));
    value = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
    const inContent = path[index - 1] === "content" && typeof key === "number";
    if (inContent && index < path.length - 1) keys.push(typeOf(value));
  }
  return keys.filter((key) => key !== "").join(".");
}

function typeOf(block: unknown): string {
  if (typeof block !== "object" || block === null || !("type" in block)) return "";
  return typeof block.type === "string" ? block.type : "";
}
