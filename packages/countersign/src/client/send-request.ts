import { timeoutSignal } from "@countersign/policy/internal/shared/timeout-signal";
import { ApprovalsConnectionError } from "./errors.js";
import type { ApprovalsClientOptions } from "./options.js";

/** One request to the API. */
export interface ApiRequest {
  method: string;
  /** Relative to `baseUrl`. */
  path: string;
  accept: string;
  query?: Record<string, unknown>;
  body?: unknown;
  keepalive?: boolean | undefined;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
}

/**
 * Sends a request with the client's credentials.
 *
 * @throws ApprovalsConnectionError if `fetch` fails, unless the caller has aborted `signal`.
 */
export async function sendRequest(
  { baseUrl, token, fetch: send = fetch }: ApprovalsClientOptions,
  { method, path, accept, query = {}, body, keepalive, signal, timeoutMs }: ApiRequest,
): Promise<Response> {
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString();
  const at = baseUrl.replace(/\/+$/, "") + path;
  const bearer = typeof token === "function" ? await token() : token;
  const headers = new Headers({ accept });
  if (bearer !== undefined) headers.set("authorization", `Bearer ${bearer}`);
  if (body !== undefined) headers.set("content-type", "application/json");
  const url = new URL(search ? `${at}?${search}` : at, globalThis.location?.href);
  const signals = [
    ...(signal ? [signal] : []),
    ...(timeoutMs === undefined ? [] : [timeoutSignal(timeoutMs)]),
  ];
  const request = new Request(url, {
    method: method.toUpperCase(),
    headers,
    credentials: "same-origin",
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(keepalive ? { keepalive } : {}),
    signal: AbortSignal.any(signals),
  });
  return await connected(() => send(request), signal);
}

/** Awaits part of a response and turns a failure into an ApprovalsConnectionError, unless the caller has aborted. */
export async function connected<T>(receive: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await receive();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApprovalsConnectionError(error);
  }
}
