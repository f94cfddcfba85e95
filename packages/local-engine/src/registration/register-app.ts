import { type FunctionConfig, findUnsupportedOptions } from "../apps/function-config.js";
import type { Core } from "../core.js";
import { parseCron } from "../cron/cron-schedule.js";
import { parseDeadline } from "../protocol/duration.js";
import { stableUuid } from "../protocol/identifiers.js";
import { saveApp } from "../store/apps.js";

/** The result of a registration. */
export interface Registered {
  appUuid: string;
  modified: boolean;
}

/** Stores an app's functions and replaces its earlier ones. Throws if an expression or a cron schedule is invalid. */
export async function registerFunctions(
  core: Core,
  app: { id: string; url: string; inProcess: boolean; functions: FunctionConfig[] },
): Promise<Registered> {
  for (const config of app.functions) checkFunction(core, config);
  const functions = JSON.stringify(app.functions);
  const modified = core.registry.functionsJsonOf(app.id) !== functions;
  const row = { id: app.id, url: app.url, inProcess: app.inProcess, functions, syncedAt: core.now() };
  // The registry throws for invalid functions before anything is stored.
  core.registry.set(row);
  await core.writer.transact((tx) => saveApp(tx, row));
  return { appUuid: stableUuid(`app:${app.id}`), modified };
}

function checkFunction(core: Core, config: FunctionConfig): void {
  for (const trigger of config.triggers) if ("cron" in trigger) parseCron(trigger.cron);
  for (const { timeout } of config.cancel ?? []) if (timeout) parseDeadline(timeout, core.now());
  const unsupported = findUnsupportedOptions(config);
  if (unsupported.length > 0) {
    core.logger.warn(`Function "${config.id}": the local engine does not support ${unsupported.join(", ")}`);
  }
}
