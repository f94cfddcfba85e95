import { numberText } from "@countersign/policy/display";
import { numbers } from "../../words/locale.js";
import { words } from "../../words/words.js";
import type { JsonSchema } from "../arguments/json-schema.js";
import { numberInput, parseNumber } from "../arguments/parse-number.js";
import { isRecord } from "../arguments/paths.js";

/** One field of a question's form. */
export interface AnswerField {
  name: string;
  label: string;
  description: string | undefined;
  control: "text" | "long" | "number" | "checkbox" | "choice";
  inputType: "text" | "email" | "url" | "date" | "datetime-local";
  options: { value: string; label: string }[];
  required: boolean;
  initial: string;
  schema: JsonSchema;
}

/** A question of an agent to a person. */
export interface Question {
  message: string;
  fields: AnswerField[];
  /** The address that the person is to open instead of filling in a form. */
  address?: URL;
}

const inputTypes: Record<string, AnswerField["inputType"]> = {
  email: "email",
  uri: "url",
  date: "date",
  "date-time": "datetime-local",
};

/**
 * The question in the arguments of `request_human_input`, or `undefined` if they contain none. Only questions of MCP
 * servers can have an address to open.
 */
export function questionOf(input: unknown, mcpServer: string | null = null): Question | undefined {
  if (!isRecord(input) || typeof input.message !== "string") return undefined;
  const message = input.message;
  const address = mcpServer ? webAddress(input.url) : undefined;
  if (address) return { message, fields: [], address };
  const { choices, form } = input;
  if (isRecord(form) && isRecord(form.properties)) {
    const required = Array.isArray(form.required) ? form.required : [];
    const fields = Object.entries(form.properties).map(([name, schema]) =>
      answerField(name, isRecord(schema) ? schema : {}, required.includes(name)),
    );
    return { message, fields };
  }
  if (Array.isArray(choices)) {
    const schema = { title: words.decide.answer.title, enum: choices.map(String) };
    return { message, fields: [answerField("choice", schema, true)] };
  }
  const free: AnswerField = {
    ...answerField("answer", { type: "string", title: words.decide.answer.title, minLength: 1 }, true),
    control: "long",
  };
  return { message, fields: [free] };
}

function webAddress(url: unknown): URL | undefined {
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  const address = new URL(url);
  return ["https:", "http:"].includes(address.protocol) ? address : undefined;
}

function answerField(name: string, schema: JsonSchema, required: boolean): AnswerField {
  const options = (schema.enum ?? []).map((value, index) => ({
    value: String(value),
    label: schema.enumNames?.[index] ?? String(value),
  }));
  const control = controlOf(schema);
  const given = schema.default;
  const isNumber = control === "number" && typeof given === "number";
  const initial = isNumber ? numberInput(given) : given === undefined ? "" : String(given);
  return {
    name,
    label: schema.title ?? name,
    description: schema.description,
    control,
    inputType: inputTypes[schema.format ?? ""] ?? "text",
    options,
    required,
    initial,
    schema,
  };
}

function controlOf({ type, enum: choices, maxLength }: JsonSchema): AnswerField["control"] {
  if (choices) return "choice";
  if (type === "boolean") return "checkbox";
  if (type === "number" || type === "integer") return "number";
  return (maxLength ?? 0) > 200 ? "long" : "text";
}

/** Parses the typed answer. `problems` are by field name. */
export function readAnswer(
  fields: readonly AnswerField[],
  typed: Readonly<Record<string, string>>,
): { content: Record<string, unknown>; problems: Record<string, string> } {
  const content: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const field of fields) {
    const text = typed[field.name] ?? field.initial;
    const problem = problemWith(field, text);
    if (problem) problems[field.name] = problem;
    else if (field.control === "checkbox") {
      if (text !== "" || field.required) content[field.name] = text === "true";
    } else if (text.trim() !== "") content[field.name] = answerValue(field, text);
  }
  return { content, problems };
}

function answerValue(field: AnswerField, text: string): unknown {
  if (field.control === "number") return parseNumber(text).value;
  if (field.inputType === "datetime-local") return new Date(text).toISOString();
  return text;
}

function problemWith(
  { control, required, schema, inputType }: AnswerField,
  text: string,
): string | undefined {
  if (control === "checkbox") return undefined;
  const texts = words.decide.answer;
  if (text.trim() === "") {
    if (!required) return undefined;
    return control === "choice" ? texts.choose : texts.required;
  }
  if (control === "number") {
    const number = parseNumber(text);
    return number.problem ?? numberProblem(schema, number.value);
  }
  if (schema.minLength !== undefined && text.length < schema.minLength) {
    return texts.atLeastCharacters(schema.minLength);
  }
  if (schema.maxLength !== undefined && text.length > schema.maxLength) {
    return texts.atMostCharacters(schema.maxLength);
  }
  if (inputType === "email" && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)) {
    return texts.email;
  }
  if (inputType === "url" && !URL.canParse(text)) return texts.url;
  return undefined;
}

function numberProblem({ type, minimum, maximum }: JsonSchema, value: number): string | undefined {
  const texts = words.decide.answer;
  if (type === "integer" && !Number.isInteger(value)) return texts.wholeNumber;
  if (minimum !== undefined && value < minimum) return texts.atLeast(numberText("", minimum, numbers));
  if (maximum !== undefined && value > maximum) return texts.atMost(numberText("", maximum, numbers));
  return undefined;
}
