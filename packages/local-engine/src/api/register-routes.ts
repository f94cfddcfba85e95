import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { registrationSchema } from "../apps/function-config.js";
import { registerFunctions } from "../apps/register-app.js";
import type { Core } from "../executor/core.js";
import { describeIssue, readJson, refuse } from "./api-error.js";

/** `POST /fn/register`: an app names its functions and where it can be reached. */
export function registerRoutes(
  core: Core,
  hooks: { isInProcess(url: string): boolean; onRegistered(): void },
): Hono {
  return new Hono().post("/fn/register", async (c) => {
    const body = registrationSchema.safeParse(await readJson(c));
    if (!body.success) return refuse(c, 400, describeIssue(body.error));
    const { appName: id, url, functions } = body.data;
    try {
      const inProcess = hooks.isInProcess(url);
      const { appUuid, modified } = await registerFunctions(core, { id, url, inProcess, functions });
      hooks.onRegistered();
      return c.json({ ok: true, modified, sync_id: randomUUID(), app_id: appUuid });
    } catch (error) {
      return refuse(c, 400, error instanceof Error ? error.message : String(error));
    }
  });
}
