import { type AnswerForm, answerForm } from "@countersign/policy/internal/questions/answer-form";
import { zodProblems } from "@countersign/policy/internal/shared/zod-problems";
import * as z from "zod";
import { asksForSecret, secretField } from "./secret-fields.js";

/** A server's question as the arguments of a call of `request_human_input`. */
export interface McpQuestion {
  /** The server's name for it; the response goes back under this name. */
  key: string;
  input: {
    message: string;
    server: string;
    tool: string;
    form?: AnswerForm | undefined;
    url?: string | undefined;
  };
}

export type TranslatedQuestion = { ok: true; question: McpQuestion } | { ok: false; problem: string };

const maxMessage = 10_000;
const maxUrl = 2_000;

const fields = z.record(z.string(), z.record(z.string(), z.unknown()));
/** A field named `__proto__` is refused, because no plain object can hold its answer. */
const properties = z.custom<z.infer<typeof fields>>(
  (given) => fields.safeParse(given).success && !Object.hasOwn(Object(given), "__proto__"),
);

const paramsSchema = z.union([
  z.object({ mode: z.literal("url"), message: z.string(), url: z.string() }),
  z.object({
    mode: z.literal("form").optional(),
    message: z.string(),
    requestedSchema: z.looseObject({
      type: z.literal("object"),
      properties,
      required: z.array(z.string()).optional(),
    }),
  }),
]);

/** The origin of a question: the host's name of the server, and the tool's own name. */
export interface Asker {
  server: string;
  tool: string;
}

/** Translates one question of a server, or returns why people cannot be asked. */
export function translateQuestion(asker: Asker, key: string, params: unknown): TranslatedQuestion {
  const parsed = paramsSchema.safeParse(params);
  if (!parsed.success) return { ok: false, problem: "asked in a form that Countersign does not know" };
  const { message } = parsed.data;
  if (message === "" || message.length > maxMessage) {
    return {
      ok: false,
      problem: `asked with a message that is empty or longer than ${maxMessage} characters`,
    };
  }
  if (parsed.data.mode === "url") return urlQuestion(asker, key, { message, url: parsed.data.url });
  const form = formOf(parsed.data.requestedSchema);
  const checked = answerForm.safeParse(form);
  if (!checked.success) {
    const problems = zodProblems(checked.error).join("; ");
    return { ok: false, problem: `asked with a form that the inbox cannot show (${problems})` };
  }
  const secret = secretField(checked.data);
  if (secret !== undefined || asksForSecret(message)) {
    const where = secret === undefined ? "its message" : `the field "${secret}"`;
    return {
      ok: false,
      problem: `asked for a secret by form (${where}), which MCP forbids. It must send a URL instead, where the person enters the secret`,
    };
  }
  return { ok: true, question: { key, input: { message, ...asker, form: checked.data } } };
}

/** The address must be one that a browser opens, without a password in it. */
function urlQuestion(
  asker: Asker,
  key: string,
  { message, url }: { message: string; url: string },
): TranslatedQuestion {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  const isWeb = address?.protocol === "https:" || address?.protocol === "http:";
  if (!address || !isWeb || address.username || address.password || url.length > maxUrl) {
    return {
      ok: false,
      problem: `asked a person to open an address that is not a plain http or https address of at most ${maxUrl} characters`,
    };
  }
  return { ok: true, question: { key, input: { message, ...asker, url: address.href } } };
}

const kept = {
  string: ["title", "description", "minLength", "maxLength", "format", "default"],
  number: ["title", "description", "minimum", "maximum", "default"],
  integer: ["title", "description", "minimum", "maximum", "default"],
  boolean: ["title", "description", "default"],
} as const;

const titled = z.array(z.object({ const: z.string(), title: z.string().optional() })).min(1);

/**
 * Translates MCP's schema into the form of our questions. What a form cannot express stays in place, so that the form's
 * own schema refuses it.
 */
function formOf({
  properties,
  required,
}: {
  properties: Record<string, Record<string, unknown>>;
  required?: string[] | undefined;
}): unknown {
  const fields = Object.entries(properties).map(([name, schema]) => [name, fieldOf(schema)]);
  return { type: "object", properties: Object.fromEntries(fields), ...(required && { required }) };
}

function fieldOf(schema: Record<string, unknown>): unknown {
  const names = kept[schema.type as keyof typeof kept];
  if (!names) return schema;
  const field: Record<string, unknown> = { type: schema.type };
  for (const name of names) if (schema[name] !== undefined) field[name] = schema[name];
  const options = titled.safeParse(schema.oneOf);
  if (options.success) {
    field.enum = options.data.map((option) => option.const);
    field.enumNames = options.data.map((option) => option.title ?? option.const);
  } else if (schema.enum !== undefined) {
    field.enum = schema.enum;
    if (schema.enumNames !== undefined) field.enumNames = schema.enumNames;
  }
  return field;
}
