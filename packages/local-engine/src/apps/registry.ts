import * as z from "zod";
import { compileExpression } from "../events/expression.js";
import type { AppHandler } from "../protocol/app-handler.js";
import { stableUuid } from "../protocol/identifiers.js";
import type { AppRow } from "../store/apps.js";
import { type FunctionConfig, functionConfigSchema } from "./function-config.js";

/** A function that can be started. */
export interface RegisteredFunction {
  /** The app's id and the function's own, joined by a hyphen. */
  id: string;
  uuid: string;
  appId: string;
  appUuid: string;
  config: FunctionConfig;
  /** URL of its requests, without the step id. */
  url: string;
  maxAttempts: number;
}

/** A function and the condition under which an event starts it. */
export interface EventTrigger {
  fn: RegisteredFunction;
  expression: string | undefined;
}

/** A function and its cron schedule. */
export interface CronTrigger {
  fn: RegisteredFunction;
  cron: string;
}

interface RegisteredApp {
  inProcess: boolean;
  url: string;
  json: string;
  functions: RegisteredFunction[];
}

/** The registered apps in memory. The database holds the same. */
export class Registry {
  #apps = new Map<string, RegisteredApp>();
  #handlers = new Map<string, AppHandler>();
  #functions = new Map<string, RegisteredFunction>();
  #exact = new Map<string, EventTrigger[]>();
  #prefixes: Array<{ prefix: string; trigger: EventTrigger }> = [];

  /** Adds or replaces a registration. Throws if one of its expressions is not valid CEL. */
  set(row: AppRow): void {
    const configs = z.array(functionConfigSchema).parse(JSON.parse(row.functions));
    for (const config of configs) checkExpressions(config);
    const functions = configs.map((config) => toFunction(row, config));
    this.#apps.set(row.id, { inProcess: row.inProcess, url: row.url, json: row.functions, functions });
    this.#index();
  }

  /** Sets this process' handler for an app. */
  setHandler(appId: string, handler: AppHandler): void {
    this.#handlers.set(appId, handler);
  }

  handlerOf(appId: string): AppHandler | undefined {
    return this.#handlers.get(appId);
  }

  /**
   * Whether requests to the app can be made. For an app of another process, always; for one of this process, only with
   * a handler.
   */
  isReachable(appId: string): boolean {
    const app = this.#apps.get(appId);
    return app !== undefined && (!app.inProcess || this.#handlers.has(appId));
  }

  /** The functions of an app as JSON, as it registered them. */
  functionsJsonOf(appId: string): string | undefined {
    return this.#apps.get(appId)?.json;
  }

  /** The id of the app at a URL. */
  findAppAt(url: string): string | undefined {
    return [...this.#apps].find(([, app]) => app.url === url)?.[0];
  }

  /** Every function of every app. */
  functions(): RegisteredFunction[] {
    return [...this.#functions.values()];
  }

  findFunction(id: string): RegisteredFunction | undefined {
    return this.#functions.get(id);
  }

  /** The functions that an event of this name may start. */
  triggersFor(eventName: string): EventTrigger[] {
    const byPrefix = this.#prefixes.filter(({ prefix }) => eventName.startsWith(prefix));
    return [...(this.#exact.get(eventName) ?? []), ...byPrefix.map(({ trigger }) => trigger)];
  }

  /** Every cron trigger. */
  cronTriggers(): CronTrigger[] {
    return [...this.#functions.values()].flatMap((fn) =>
      fn.config.triggers.flatMap((trigger) => ("cron" in trigger ? [{ fn, cron: trigger.cron }] : [])),
    );
  }

  #index(): void {
    const functions = [...this.#apps.values()].flatMap((app) => app.functions);
    this.#functions = new Map(functions.map((fn) => [fn.id, fn]));
    this.#exact = new Map();
    this.#prefixes = [];
    for (const fn of functions) {
      for (const trigger of fn.config.triggers) {
        if (!("event" in trigger)) continue;
        const entry = { fn, expression: trigger.expression };
        if (trigger.event.endsWith("*"))
          this.#prefixes.push({ prefix: trigger.event.slice(0, -1), trigger: entry });
        else this.#exact.set(trigger.event, [...(this.#exact.get(trigger.event) ?? []), entry]);
      }
    }
  }
}

function toFunction(row: AppRow, config: FunctionConfig): RegisteredFunction {
  const step = Object.values(config.steps)[0];
  return {
    id: config.id,
    uuid: stableUuid(config.id),
    appId: row.id,
    appUuid: stableUuid(`app:${row.id}`),
    config,
    url: step?.runtime.url ?? row.url,
    maxAttempts: (step?.retries?.attempts ?? 4) + 1,
  };
}

function checkExpressions(config: FunctionConfig): void {
  const expressions = [
    ...config.triggers.map((trigger) => ("event" in trigger ? trigger.expression : undefined)),
    ...(config.cancel ?? []).map((cancel) => cancel.if),
    config.idempotency,
  ];
  for (const expression of expressions) {
    if (expression === undefined) continue;
    try {
      compileExpression(expression);
    } catch (error) {
      throw new Error(`Function "${config.id}": ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
