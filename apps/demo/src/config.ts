import { fileURLToPath } from "node:url";
import { createRequestSourceCheck } from "@countersign/local-engine";
import ms, { type StringValue } from "ms";
import { z } from "zod";
import { type ChannelConfig, channelConfig, channelEnvironment } from "./channels/channel-config.js";
import { ConfigError } from "./config-error.js";
import { describeIssue } from "./config-issue.js";
import { demoFolder } from "./demo-folder.js";
import { type EngineConfig, engineConfig } from "./engine/engine-config.js";

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
  ALLOWED_HOSTS: z
    .string()
    .default("")
    .transform((text) =>
      text
        .split(",")
        .map((host) => host.trim())
        .filter((host) => host !== ""),
    )
    .refine(areHosts, "must be host names or IP addresses without ports, separated by commas"),
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
  INNGEST_SIGNING_KEY: key,
  INNGEST_EVENT_KEY: key,
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
  AGENT: z.enum(["agentkit", "loop", "ai-sdk"], 'must be "agentkit", "loop" or "ai-sdk"').default("agentkit"),
  DEMO_MODEL_FORMAT: z.enum(["openai", "anthropic"], 'must be "openai" or "anthropic"').default("openai"),
  ...channelEnvironment,
});

/** The model: a provider's, or the scripted one of this process. */
export type ModelConfig =
  | { kind: "scripted"; format: "openai" | "anthropic" }
  | { kind: "provider"; format: "openai" | "anthropic"; apiKey: string; model: string; baseUrl?: string };

/** The agent: a network of AgentKit, a loop around the provider's client, or one of the AI SDK. */
export type AgentKind = z.output<typeof environment>["AGENT"];

export interface DemoConfig {
  port: number;
  host: string;
  /** Further host names of the demo, besides loopback and `host`. */
  allowedHosts: string[];
  /** Absent: PGlite in `dataDir`. */
  databaseUrl?: string;
  /** Folder for PGlite, or `memory://`. */
  dataDir: string;
  engine: EngineConfig;
  /** The policy file, reloaded when it changes. */
  policyFile: string;
  /** Approval timeout, such as `30m`. */
  timeout: string;
  agent: AgentKind;
  model: ModelConfig;
  /** Slack, e-mail and a webhook. */
  channels: ChannelConfig;
}

/**
 * Reads the demo's settings. An empty variable counts as unset.
 *
 * @throws ConfigError with one line for each invalid variable.
 */
export function readConfig(env: Record<string, string | undefined>): DemoConfig {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()));
  const parsed = environment.safeParse(given);
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map((issue) => describeIssue(issue, given)));
  const { data } = parsed;
  return {
    port: data.PORT,
    host: data.HOST,
    allowedHosts: data.ALLOWED_HOSTS,
    ...(data.DATABASE_URL !== undefined && { databaseUrl: data.DATABASE_URL }),
    dataDir: data.DATA_DIR,
    engine: engineConfig(data),
    policyFile: data.POLICY_FILE ?? fileURLToPath(new URL("policy.yaml", demoFolder)),
    timeout: data.COUNTERSIGN_TIMEOUT,
    agent: data.AGENT,
    model: modelOf(data),
    channels: channelConfig(data),
  };
}

/** A key selects its provider. OpenAI if both are set. */
function modelOf(data: z.infer<typeof environment>): ModelConfig {
  if (data.OPENAI_API_KEY !== undefined) {
    return provider("openai", data.OPENAI_API_KEY, data.OPENAI_MODEL, data.OPENAI_BASE_URL);
  }
  if (data.ANTHROPIC_API_KEY !== undefined) {
    return provider("anthropic", data.ANTHROPIC_API_KEY, data.ANTHROPIC_MODEL, data.ANTHROPIC_BASE_URL);
  }
  return { kind: "scripted", format: data.DEMO_MODEL_FORMAT };
}

function provider(
  format: "openai" | "anthropic",
  apiKey: string,
  model: string,
  baseUrl: string | undefined,
): ModelConfig {
  return { kind: "provider", format, apiKey, model, ...(baseUrl !== undefined && { baseUrl }) };
}

function areHosts(hosts: string[]): boolean {
  try {
    createRequestSourceCheck({ hosts });
    return true;
  } catch {
    return false;
  }
}

function isTimeout(text: string): boolean {
  // A bare number would be parsed as milliseconds.
  if (/^-?[\d.]+$/.test(text.trim())) return false;
  const value: number | undefined = ms(text as StringValue);
  return value !== undefined && value >= MIN_TIMEOUT && value <= MAX_TIMEOUT;
}
