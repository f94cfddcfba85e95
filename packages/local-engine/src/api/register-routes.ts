import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import type { AllowedApps } from "../apps/allowed-apps.js";
import { registrationSchema } from "../apps/function-config.js";
import type { Core } from "../core.js";
import { registerFunctions } from "../registration/register-app.js";
import { describeIssue, readJson, refuse } from "./api-error.js";
import { limitBody, MAX_BODY_BYTES } from "./body-limits.js";

/** `POST /fn/register`: an app in another process registers its functions and URL. */
export function registerRoutes(core: Core, hooks: { allowedApps: AllowedApps; onRegistered(): void }): Hono {
  return new Hono().post("/fn/register", limitBody(MAX_BODY_BYTES.registration), async (c) => {
    const body = registrationSchema.safeParse(await readJson(c));
    if (!body.success) return refuse(c, 400, describeIssue(body.error));
    const { appName: id, url, functions } = body.data;
    if (core.registry.handlerOf(id))
      return refuse(c, 403, `The app "${id}" runs in the engine's own process`);
    const refusal = hooks.allowedApps.refusalOf({ id, url, functions });
    if (refusal !== undefined) return refuse(c, 403, refusal);
    try {
      const { appUuid, modified } = await registerFunctions(core, { id, url, inProcess: false, functions });
      hooks.onRegistered();
      return c.json({ ok: true, modified, sync_id: randomUUID(), app_id: appUuid });
    } catch (error) {
      return refuse(c, 400, error instanceof Error ? error.message : String(error));
    }
  });
}
