import type { AllowedApps } from "../apps/allowed-apps.js";
import { functionConfigSchema } from "../apps/function-config.js";
import type { Core } from "../core.js";
import { listApps } from "../store/apps.js";

/**
 * Loads the apps that registered with an earlier engine on this database. Apps of other processes must still be
 * allowed. The runs of apps that are not allowed stay as they are until their app is allowed again.
 */
export async function loadApps(core: Core, allowed: AllowedApps): Promise<void> {
  for (const row of await listApps(core.db)) {
    const functions = functionConfigSchema.array().parse(JSON.parse(row.functions));
    const refusal = row.inProcess ? undefined : allowed.refusalOf({ ...row, functions });
    if (refusal === undefined) core.registry.set(row);
    else core.logger.warn(`The stored app "${row.id}" was ignored: ${refusal}`);
  }
}
