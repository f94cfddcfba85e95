import { type RunError, readError } from "./errors.js";
import { byteLength, explainSize, MAX_RESPONSE_BYTES, RESPONSE_TOO_LARGE } from "./limits.js";
import { type Opcode, opcodesSchema } from "./opcodes.js";

/** An app's response to a request for a function. */
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

/** Reads an app's response. A response that is not from an SDK counts as a retryable failure. */
export function readAppResponse(response: RawResponse): AppResponse {
  const common = readHeaders(response.headers);
  if (byteLength(response.text) > MAX_RESPONSE_BYTES) {
    return { type: "failed", error: RESPONSE_TOO_LARGE, body: RESPONSE_TOO_LARGE, ...common };
  }
  const body = parseJson(response.text);
  if (response.status === 206) {
    const opcodes = opcodesSchema.safeParse(body);
    if (!opcodes.success) {
      const where = opcodes.error.issues[0];
      return failure(response, `Unreadable opcodes: ${where?.path.join(".")} ${where?.message}`);
    }
    const tooLarge = opcodes.data.map(explainSize).find((problem) => problem !== undefined);
    if (tooLarge !== undefined) return failure(response, tooLarge);
    return { type: "opcodes", opcodes: opcodes.data, ...common };
  }
  if (response.status === 200) {
    if (body === undefined)
      return failure(response, "The app responded with 200 and a body that is not JSON");
    return { type: "completed", data: body, requestVersion: common.requestVersion };
  }
  if (body === undefined)
    return failure(response, `The app responded with ${response.status}: ${response.text}`);
  return { type: "failed", error: readError(body), body, ...common };
}

/** The failure of a request that got no response. */
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
