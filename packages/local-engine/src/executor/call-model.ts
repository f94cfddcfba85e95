import type { AiGatewayOpts } from "../protocol/opcodes.js";

/** The result of a model call: the provider's JSON, or the error that the step reports. */
export type ModelResult = { data: unknown } | { error: Record<string, unknown> };

/**
 * Minimum length of a key that is redacted. Shorter keys are placeholders, and redacting them would change unrelated
 * text.
 */
const MIN_SECRET_LENGTH = 8;

/** Makes the model call of a `step.ai.infer`. */
export async function callModel(modelFetch: typeof fetch, opts: AiGatewayOpts): Promise<ModelResult> {
  const redact = (text: string) => removeSecret(text, opts.auth_key);
  try {
    const response = await modelFetch(opts.url, {
      method: "POST",
      headers: buildHeaders(opts),
      body: JSON.stringify(opts.body ?? null),
    });
    const text = await response.text();
    const body = parseJson(text);
    if (response.ok) {
      if (body !== undefined) return { data: body };
      return { error: createError("Error making AI request: the response is not valid JSON", redact(text)) };
    }
    const message = `Error making AI request: unsuccessful status code: ${response.status}`;
    return { error: createError(message, redact(text)) };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    return { error: createError(redact(`Error making AI request: ${reason}`), "") };
  }
}

function createError(message: string, text: string): Record<string, unknown> {
  const data = parseJson(text) ?? text;
  return { ...(text === "" ? {} : { data }), message, name: "AIGatewayError", stack: text };
}

/** Providers take their keys in different headers; Gemini's is in the URL, Azure's in the given headers. */
function buildHeaders(opts: AiGatewayOpts): Headers {
  const headers = new Headers(opts.headers ?? {});
  headers.set("content-type", "application/json");
  const key = opts.auth_key;
  if (!key) return headers;
  switch (opts.format) {
    case "anthropic":
      headers.set("x-api-key", key);
      if (!headers.has("anthropic-version")) headers.set("anthropic-version", "2023-06-01");
      break;
    case "gemini":
    case "azure-openai":
      break;
    default:
      if (!headers.has("authorization") && !headers.has("api-key"))
        headers.set("authorization", `Bearer ${key}`);
  }
  return headers;
}

function removeSecret(text: string, secret: string | null | undefined): string {
  return secret && secret.length >= MIN_SECRET_LENGTH ? text.replaceAll(secret, "[redacted]") : text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
