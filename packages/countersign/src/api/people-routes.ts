import type { Hono } from "hono";
import type { ApiContext } from "./api-context.js";
import type { ApiEnv } from "./api-env.js";
import { serve } from "./serve.js";

/** What people do about a call beside deciding it. */
export function addPeopleRoutes(api: Hono<ApiEnv>, { countersign, view }: ApiContext): void {
  serve(api, "assign", async ({ params, body: { to } }, c) => {
    const principal = c.get("principal");
    return view(await countersign.assign({ approvalId: params.id, principal, to }), principal);
  });

  serve(api, "setViewing", async ({ params, body: { active } }, c) => {
    const principal = c.get("principal");
    return view(await countersign.look({ approvalId: params.id, principal, active }), principal);
  });

  serve(api, "extend", async ({ params, body: { by: byMs } }, c) => {
    const principal = c.get("principal");
    return view(await countersign.extend({ approvalId: params.id, principal, byMs }), principal);
  });

  serve(api, "resolve", async ({ params, body: { outcome, note = null } }, c) => {
    const principal = c.get("principal");
    return view(await countersign.resolve({ approvalId: params.id, principal, outcome, note }), principal);
  });
}
