import type { FunctionConfig } from "./function-config.js";

/** Which apps of other processes the engine takes registrations of and sends requests to: ids, with the origin of each. */
export class AllowedApps {
  readonly #origins = new Map<string, string>();

  /** @throws Error if an origin is not one. */
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

  /** Why an app may not be taken in with these URLs; `undefined` if it may. */
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
