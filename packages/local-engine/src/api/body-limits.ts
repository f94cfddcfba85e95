import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { MAX_RESPONSE_BYTES } from "../protocol/limits.js";
import { tooLarge } from "../requests/check-request-source.js";
import { refuse } from "./api-error.js";

const KiB = 1024;
const MiB = 1024 * KiB;

/** Inngest's limit for one event, in bytes. */
export const MAX_EVENT_BYTES = 512 * KiB;

/**
 * Maximum body size by route, in bytes. Inngest has no such limits. A checkpoint may be as large as a response.
 */
export const MAX_BODY_BYTES = {
  events: 16 * MiB,
  registration: 4 * MiB,
  checkpoint: MAX_RESPONSE_BYTES + MiB,
} as const;

/** The largest body of any route, in bytes. */
export const MAX_ANY_BODY_BYTES = Math.max(...Object.values(MAX_BODY_BYTES));

/** Limits the body size, also for chunked requests. Place it after authentication. */
export function limitBody(maxSize: number): MiddlewareHandler {
  const { status, message } = tooLarge(maxSize);
  return bodyLimit({ maxSize, onError: (c) => refuse(c, status, message) });
}
