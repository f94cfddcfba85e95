import { inBandRegistrationSchema } from "../apps/function-config.js";
import type { AppHandler } from "../protocol/app-handler.js";
import { callApp } from "../protocol/call-app.js";

/** An app's functions, as it returned them. */
export interface SyncedApp {
  id: string;
  url: string;
  functions: unknown[];
}

/**
 * Asks an app for its functions. Either it returns them, or it registers at `POST /fn/register` meanwhile; then the
 * result is undefined.
 */
export async function syncApp(app: {
  url: string;
  handler: AppHandler | undefined;
  signingKey: string | undefined;
}): Promise<SyncedApp | undefined> {
  const response = await callApp({
    method: "PUT",
    url: app.url,
    headers: { "content-type": "application/json", "x-inngest-sync-kind": "in_band" },
    body: JSON.stringify({ url: app.url }),
    handler: app.handler,
    signingKey: app.signingKey,
  });
  if (response.status !== 200) {
    throw new Error(
      `The app at ${app.url} refused to sync (${response.status}): ${response.text.slice(0, 500)}`,
    );
  }
  if (response.headers.get("x-inngest-sync-kind") !== "in_band") return undefined;
  const body = inBandRegistrationSchema.parse(JSON.parse(response.text));
  return { id: body.app_id, url: body.url, functions: body.functions };
}
