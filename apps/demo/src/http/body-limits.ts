import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { problem } from "./problem.js";

const KiB = 1024;
const MiB = 1024 * KiB;

/** Maximum body sizes in bytes. The approvals API has its own limits. */
export const maxBodyBytes = {
  /** 20,000 escaped characters. */
  chat: 256 * KiB,
  session: 4 * KiB,
  /** Inngest's limit for the state of a run, which the engine may send with its event. */
  functions: 33 * MiB,
  /** A conversation with the largest arguments that Countersign accepts. */
  model: 33 * MiB,
  any: 33 * MiB,
} as const;

/** Limits the body, even if it is chunked. Use it after authentication. */
export function limitBody(maxSize: number): MiddlewareHandler {
  return bodyLimit({
    maxSize,
    onError: () =>
      problem(413, "The body is too large", `Send at most ${maxSize} bytes.`, { code: "body_too_large" }),
  });
}
