import type { z } from "zod";
import type { ModelRefusal } from "../model-refusal.js";
import { refuse } from "./refuse.js";
import { openAiRoles } from "./request.js";

/** Says what is wrong with a request's shape in the provider's words. Only the first problem is named, as there. */
export function shapeRefusal(error: z.ZodError): ModelRefusal {
  const issue = error.issues[0];
  if (!issue) return refuse("Invalid request.");
  const param = paramOf(issue.path);
  if (param === "model" && issue.input === undefined) return refuse("you must provide a model parameter");
  if (param.endsWith(".role")) {
    if (roleOf(issue.input) === undefined) return missing(param);
    const supported = openAiRoles.map((role) => `'${role}'`);
    const list = `${supported.slice(0, -1).join(", ")}, and ${supported.at(-1)}`;
    return refuse(
      `Invalid value: '${String(roleOf(issue.input))}'. Supported values are: ${list}.`,
      param,
      "invalid_value",
    );
  }
  if (issue.input === undefined) return missing(param);
  switch (issue.code) {
    case "too_small": {
      const kind = issue.origin === "array" ? "array" : "string";
      return refuse(
        `Invalid '${param}': empty ${kind}. Expected ${article(kind)} with minimum length ${issue.minimum}, but got an empty ${kind} instead.`,
        param,
        `empty_${kind}`,
      );
    }
    case "too_big":
      return refuse(
        `Invalid '${param}': string too long. Expected a string with maximum length ${issue.maximum}, but got a string with length ${String(issue.input).length} instead.`,
        param,
        "string_above_max_length",
      );
    case "invalid_format":
      return refuse(
        `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '${(issue.pattern ?? "").replace(/^\/|\/$/g, "")}'.`,
        param,
        "invalid_value",
      );
    case "invalid_type":
      return refuse(
        `Invalid type for '${param}': expected ${expected(param, issue.expected)}, but got ${kindOf(issue.input)} instead.`,
        param,
        "invalid_type",
      );
    case "invalid_value":
      return refuse(
        `Invalid value: '${String(issue.input)}'. Supported values are: ${issue.values.map((value) => `'${String(value)}'`).join(", ")}.`,
        param,
        "invalid_value",
      );
    default:
      return refuse(`Invalid '${param}': ${issue.message}`, param, "invalid_value");
  }
}

function missing(param: string): ModelRefusal {
  return refuse(`Missing required parameter: '${param}'.`, param, "missing_required_parameter");
}

/** `messages[1].tool_calls[0].id`, as the provider writes paths. */
function paramOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) =>
      typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`,
    "",
  );
}

/** A failed discriminator reports the whole message as its input. */
function roleOf(input: unknown): unknown {
  return typeof input === "object" && input !== null && "role" in input ? input.role : undefined;
}

function expected(param: string, type: string): string {
  if (param.endsWith(".content")) return "one of a string or array of objects";
  return type === "record" ? "an object" : article(type);
}

function kindOf(input: unknown): string {
  if (input === null) return "null";
  if (Array.isArray(input)) return "an array";
  if (typeof input === "number") return Number.isInteger(input) ? "an integer" : "a decimal";
  return article(typeof input);
}

function article(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
}
