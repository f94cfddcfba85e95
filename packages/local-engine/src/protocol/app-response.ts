import { type RunError, readError } from "./errors.js";
import { type Opcode, opcodesSchema } from "./opcodes.js";

/** What an app answered to a request for a function. */
export type AppResponse = { requestVersion: number | undefined } & (
  | { type: "opcodes"; opcodes: Opcode[]; noRetry: boolean; retryAfter: string | undefined }
  | { type: "completed"; data: unknown }
  | { type: "failed"; error: RunError; body: unknown; noRetry: boolean; retryAfter: string | undefined }
);

/** The part of an HTTP response that the protocol uses. */
export interface RawResponse {
  status: number;
  headers: Headers;
  text: string;
}

/** Reads an app's answer. What is no answer of an SDK counts as a failure that can be retried. */
export function readAppResponse(response: RawResponse): AppResponse {
  const body = parseJson(response.text);
  const common = readHeaders(response.headers);
  if (response.status === 206) {
    const opcodes = opcodesSchema.safeParse(body);
    if (!opcodes.success) {
      const where = opcodes.error.issues[0];
      return failure(response, `Unreadable opcodes: ${where?.path.join(".")} ${where?.message}`);
    }
    return { type: "opcodes", opcodes: opcodes.data, ...common };
  }
  if (response.status === 200) {
    if (body === undefined) return failure(response, "The app answered 200 with a body that is no JSON");
    return { type: "completed", data: body, requestVersion: common.requestVersion };
  }
  if (body === undefined) return failure(response, `The app answered ${response.status}: ${response.text}`);
  return { type: "failed", error: readError(body), body, ...common };
}

/** A request that got no answer. */
export function unreachable(message: string): AppResponse {
  const error = { name: "Error", message };
  return {
    type: "failed",
    error,
    body: error,
    noRetry: false,
    retryAfter: undefined,
    requestVersion: undefined,
  };
}

function failure(response: RawResponse, message: string): AppResponse {
  const error = { name: "Error", message: message.slice(0, 2_000) };
  return { type: "failed", error, body: error, ...readHeaders(response.headers) };
}

function readHeaders(headers: Headers) {
  const version = Number(headers.get("x-inngest-req-version") ?? Number.NaN);
  return {
    noRetry: headers.get("x-inngest-no-retry") === "true",
    retryAfter: headers.get("retry-after") ?? undefined,
    requestVersion: Number.isInteger(version) ? version : undefined,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
