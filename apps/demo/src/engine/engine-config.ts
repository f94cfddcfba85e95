import { isLoopback } from "@countersign/local-engine";
import { ConfigError } from "../config-error.js";
import { withoutSecrets } from "./without-secrets.js";

/** The signing key and the event key. */
export interface EngineKeys {
  signingKey?: string;
  eventKey?: string;
}

/**
 * The engine that runs the functions: the local one, or an Inngest server. `isDev` turns off signatures, so that anyone
 * who reaches the demo can call its functions.
 */
export type EngineConfig = EngineKeys &
  ({ kind: "local" } | { kind: "inngest"; baseUrl: string; isDev: boolean });

interface InngestEnvironment {
  INNGEST_BASE_URL?: string | undefined;
  INNGEST_DEV?: string | undefined;
  INNGEST_SIGNING_KEY?: string | undefined;
  INNGEST_EVENT_KEY?: string | undefined;
}

/**
 * Reads Inngest's variables. Calls are unsigned only if there is no signing key, and the server is on this machine or
 * `INNGEST_DEV` marks it as a Dev Server.
 *
 * @throws ConfigError if calls must be signed and a key is missing.
 */
export function engineConfig(env: InngestEnvironment): EngineConfig {
  const { INNGEST_SIGNING_KEY: signingKey, INNGEST_EVENT_KEY: eventKey, INNGEST_DEV: dev } = env;
  const keys: EngineKeys = {
    ...(signingKey !== undefined && { signingKey }),
    ...(eventKey !== undefined && { eventKey }),
  };
  const isOff = dev === "0" || dev === "false";
  const baseUrl = env.INNGEST_BASE_URL ?? (isOff ? undefined : devServer(dev));
  if (baseUrl === undefined) return { kind: "local", ...keys };
  const isDev = signingKey === undefined && !isOff && (dev !== undefined || isOnThisMachine(baseUrl));
  if (!isDev) requireKeys(keys, baseUrl);
  return { kind: "inngest", baseUrl, isDev, ...keys };
}

/** The URL that the SDK derives from `INNGEST_DEV`: the URL itself, or the Dev Server's default. */
function devServer(value: string | undefined): string | undefined {
  return value === "1" || value === "true" ? "http://127.0.0.1:8288" : value;
}

function isOnThisMachine(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === "http:" && isLoopback(hostname);
}

function requireKeys({ signingKey, eventKey }: EngineKeys, baseUrl: string): void {
  const server = `Inngest at ${withoutSecrets(baseUrl)}`;
  const lines = [
    ...(signingKey === undefined
      ? [
          `INNGEST_SIGNING_KEY must be set: it signs the calls of ${server}. For a Dev Server, which signs nothing, set INNGEST_DEV=1.`,
        ]
      : []),
    ...(eventKey === undefined
      ? [`INNGEST_EVENT_KEY must be set: ${server} takes events under its keys only.`]
      : []),
  ];
  if (lines.length > 0) throw new ConfigError(lines);
}
