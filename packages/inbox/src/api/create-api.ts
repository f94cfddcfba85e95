import { ApiError, problemOf, Unreachable } from "./api-error.js";
import type { ServerClock } from "./server-clock.js";

export type Query = Record<string, string | number | boolean | undefined>;

export interface InboxApi {
  base: string;
  get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T>;
  send<T>(method: "POST" | "PUT" | "DELETE", path: string, body?: unknown, options?: SendOptions): Promise<T>;
}

export interface SendOptions {
  /** Lets a request be sent again without counting twice. */
  idempotencyKey?: string;
  /** Still sent when the page goes away. */
  keepalive?: boolean;
}

/** Longest wait for an answer, in milliseconds. */
const patienceMs = 20_000;

/**
 * The API under `base`. Every answer sets the clock.
 *
 * @throws ApiError where it refuses, Unreachable where no answer comes.
 */
export function createApi(base: string, clock: ServerClock): InboxApi {
  const request = async <T>(path: string, init: RequestInit): Promise<T> => {
    const patience = AbortSignal.timeout(patienceMs);
    const signal = init.signal ? AbortSignal.any([init.signal, patience]) : patience;
    const response = await fetch(`${base}${path}`, { credentials: "same-origin", ...init, signal }).catch(
      (error: unknown) => {
        if (init.signal?.aborted) throw error;
        throw new Unreachable("The server could not be reached", { cause: error });
      },
    );
    if (!response.ok) throw new ApiError(response.status, await problemOf(response));
    if (response.status === 204) return undefined as T;
    const body: T = await response.json().catch((error: unknown) => {
      throw new Unreachable("The answer broke off", { cause: error });
    });
    clock.note(serverTimeOf(body) ?? response.headers.get("date"));
    return body;
  };
  return {
    base,
    get: (path, query = {}, signal) =>
      request(`${path}${searchOf(query)}`, {
        headers: { accept: "application/json" },
        ...(signal && { signal }),
      }),
    send: (method, path, body, { idempotencyKey, keepalive } = {}) =>
      request(path, {
        method,
        headers: {
          accept: "application/json",
          ...(body !== undefined && { "content-type": "application/json" }),
          ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(keepalive && { keepalive }),
      }),
  };
}

function serverTimeOf(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null || !("serverTime" in body)) return undefined;
  return typeof body.serverTime === "string" ? body.serverTime : undefined;
}

function searchOf(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return text && `?${text}`;
}
