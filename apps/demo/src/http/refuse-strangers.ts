import { createRequestSourceCheck } from "@countersign/local-engine";
import type { MiddlewareHandler } from "hono";
import { maxBodyBytes } from "./body-limits.js";
import { problem } from "./problem.js";

/** Slack posts forms here. It signs them, so a page of another site can send none that counts. */
const signedForms = "/api/channels/";

/** Refuses requests that other sites' pages make browsers send, before reading the body. `hosts` are the demo's names. */
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
