import { createRequestSourceCheck } from "@countersign/local-engine";
import type { MiddlewareHandler } from "hono";
import { maxBodyBytes } from "./body-limits.js";
import { problem } from "./problem.js";

/**
 * The path to which Slack posts forms. The channel checks Slack's signature, so a page of another site cannot send
 * valid ones.
 */
const signedForms = "/api/channels/";

/**
 * Refuses requests that pages of other sites make browsers send, before the body is read. `hosts` are the demo's names.
 */
export function refuseStrangers(hosts: readonly string[]): MiddlewareHandler {
  const refusalOf = createRequestSourceCheck({ hosts, maxBodyBytes: maxBodyBytes.any });
  return async (context, next) => {
    if (context.req.method === "TRACE") {
      return problem(405, "Method not allowed", "This server does not answer TRACE.", {
        code: "method_not_allowed",
      });
    }
    const refusal = refusalOf(context.req.raw);
    if (!refusal || (refusal.status === 415 && context.req.path.startsWith(signedForms))) return next();
    return problem(refusal.status, "Refused", `${refusal.message}.`, { code: refusal.code });
  };
}
