import { fileURLToPath } from "node:url";
import ms, { type StringValue } from "ms";
import { z } from "zod";
import { ConfigError } from "./config-error.js";
import { describeIssue } from "./config-issue.js";

const MIN_TIMEOUT = 1000;
const MAX_TIMEOUT = ms("365d");

const httpUrl = z.url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" });
const key = z.string().optional();

const environment = z.object({
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, "must be a whole number from 0 to 65535")
    .transform(Number)
    .refine((port) => port <= 65_535, "must be a whole number from 0 to 65535")
    .default(3000),
  HOST: z.string().default("127.0.0.1"),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: "must be a postgres:// or postgresql:// URL" })
    .optional(),
  DATA_DIR: z.string().default(".data"),
  INNGEST_BASE_URL: httpUrl.optional(),
  INNGEST_DEV: z
    .string()
    .refine(
      (value) => /^(0|1|true|false)$/.test(value) || httpUrl.safeParse(value).success,
      "must be 1, 0 or an http:// or https:// URL",
    )
    .optional(),
  POLICY_FILE: z.string().optional(),
  COUNTERSIGN_TIMEOUT: z
    .string()
    .refine(isTimeout, "must be a duration from 1 second to 365 days")
    .default("30m"),
  OPENAI_API_KEY: key,
  OPENAI_BASE_URL: httpUrl.optional(),
  OPENAI_MODEL: z.string().default("gpt-4.1-mini"),
  ANTHROPIC_API_KEY: key,
  ANTHROPIC_BASE_URL: httpUrl.optional(),
  ANTHROPIC_MODEL: z.string().default("claude-sonnet-4-5"),
  DEMO_MODEL_FORMAT: z.enum(["openai", "anthropic"], 'must be "openai" or "anthropic"').default("openai"),
});

/** The model to talk to: a provider's, or the scripted one that this process serves. */
export type ModelConfig =
  | { kind: "scripted"; format: "openai" | "anthropic" }
  | { kind: "provider"; format: "openai" | "anthropic"; apiKey: string; model: string; baseUrl?: string };

export interface DemoConfig {
  port: number;
  host: string;
  /** Absent: PGlite in `dataDir`. */
  databaseUrl?: string;
  /** Folder for PGlite, or `memory://`. */
  dataDir: string;
  /** Absent: the local engine. */
  inngestBaseUrl?: string;
  /** Followed while the demo runs. */
  policyFile: string;
  /** How long people have to decide, such as `30m`. */
  timeout: string;
  model: ModelConfig;
}

/**
 * Reads the demo's settings. An empty variable counts as unset.
 *
 * @throws ConfigError with one line for each variable that is wrong.
 */
export function readConfig(env: Record<string, string | undefined>): DemoConfig {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()));
  const parsed = environment.safeParse(given);
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map((issue) => describeIssue(issue, given)));
  const { data } = parsed;
  const inngestBaseUrl = data.INNGEST_BASE_URL ?? devServer(data.INNGEST_DEV);
  return {
    port: data.PORT,
    host: data.HOST,
    ...(data.DATABASE_URL !== undefined && { databaseUrl: data.DATABASE_URL }),
    dataDir: data.DATA_DIR,
    ...(inngestBaseUrl !== undefined && { inngestBaseUrl }),
    policyFile: data.POLICY_FILE ?? fileURLToPath(new URL("../policy.yaml", import.meta.url)),
    timeout: data.COUNTERSIGN_TIMEOUT,
    model: modelOf(data),
  };
}

/** A key chooses its provider; with both, OpenAI. */
function modelOf(data: z.infer<typeof environment>): ModelConfig {
  if (data.OPENAI_API_KEY !== undefined) {
    return provider("openai", data.OPENAI_API_KEY, data.OPENAI_MODEL, data.OPENAI_BASE_URL);
  }
  if (data.ANTHROPIC_API_KEY !== undefined) {
    return provider("anthropic", data.ANTHROPIC_API_KEY, data.ANTHROPIC_MODEL, data.ANTHROPIC_BASE_URL);
  }
  return { kind: "scripted", format: data.DEMO_MODEL_FORMAT };
}

/** What the SDK makes of `INNGEST_DEV`: a URL, or the Dev Server's usual place. */
function devServer(value: string | undefined): string | undefined {
  if (value === undefined || value === "0" || value === "false") return undefined;
  return value === "1" || value === "true" ? "http://127.0.0.1:8288" : value;
}

function provider(
  format: "openai" | "anthropic",
  apiKey: string,
  model: string,
  baseUrl: string | undefined,
): ModelConfig {
  return { kind: "provider", format, apiKey, model, ...(baseUrl !== undefined && { baseUrl }) };
}

function isTimeout(text: string): boolean {
  // A bare number would be read as milliseconds, which nobody means.
  if (/^-?[\d.]+$/.test(text.trim())) return false;
  const value: number | undefined = ms(text as StringValue);
  return value !== undefined && value >= MIN_TIMEOUT && value <= MAX_TIMEOUT;
}
