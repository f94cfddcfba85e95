import type { FunctionConfig } from "./function-config.js";

/**
 * The apps of other processes from which the engine accepts registrations and to which it sends requests: ids, with the
 * origin of each.
 */
export class AllowedApps {
  readonly #origins = new Map<string, string>();

  /** @throws Error if a value is not an origin. */
  constructor(apps: Readonly<Record<string, string>>) {
    for (const [id, origin] of Object.entries(apps)) {
      if (!isHttpOrigin(origin)) {
        throw new Error(`apps.${id}: "${origin}" must be an origin, such as "http://127.0.0.1:3000"`);
      }
      this.#origins.set(id, origin);
    }
  }

  /** Adds the app behind a URL that the operator named. */
  add(id: string, url: string): void {
    this.#origins.set(id, new URL(url).origin);
  }

  /** Why an app with these URLs is not accepted; `undefined` if it is. */
  refusalOf(app: { id: string; url: string; functions: readonly FunctionConfig[] }): string | undefined {
    const origin = this.#origins.get(app.id);
    if (origin === undefined)
      return `This engine does not accept the app "${app.id}"; add it to the apps option`;
    for (const url of [app.url, ...app.functions.flatMap(urlsOf)]) {
      if (new URL(url).origin !== origin)
        return `The app "${app.id}" must be served at ${origin}, not at ${url}`;
    }
    const foreign = app.functions.find(({ id }) => !id.startsWith(`${app.id}-`));
    return foreign && `Function "${foreign.id}": the id must start with "${app.id}-"`;
  }
}

function urlsOf(config: FunctionConfig): string[] {
  return Object.values(config.steps).map(({ runtime }) => runtime.url);
}

function isHttpOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
