import { describe, expect, it } from "vitest";
import { readConfig } from "./config.js";
import { ConfigError } from "./config-error.js";

function linesFor(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.lines;
    throw error;
  }
  return [];
}

describe("readConfig", () => {
  it("needs no variables", () => {
    expect(readConfig({})).toEqual({
      port: 3000,
      host: "127.0.0.1",
      allowedHosts: [],
      dataDir: ".data",
      engine: { kind: "local" },
      policyFile: expect.stringMatching(/policy\.yaml$/),
      timeout: "30m",
      agent: "agentkit",
      model: { kind: "scripted", format: "openai" },
      channels: {},
    });
  });

  it("reads the variables, and treats empty ones as unset", () => {
    expect(
      readConfig({
        PORT: "0",
        HOST: "0.0.0.0",
        ALLOWED_HOSTS: "desk.internal, 192.168.0.10",
        DATABASE_URL: "postgresql://user:secret@db/desk",
        DATA_DIR: "/data",
        INNGEST_BASE_URL: "http://inngest:8288",
        INNGEST_DEV: "",
        INNGEST_SIGNING_KEY: "signkey-test-12ab",
        INNGEST_EVENT_KEY: "event-key",
        POLICY_FILE: "/etc/desk.yaml",
        COUNTERSIGN_TIMEOUT: "2 days",
        OPENAI_API_KEY: " ",
        ANTHROPIC_API_KEY: "key",
        ANTHROPIC_BASE_URL: "https://models.example.com/v1",
        ANTHROPIC_MODEL: "a-model",
      }),
    ).toEqual({
      port: 0,
      host: "0.0.0.0",
      allowedHosts: ["desk.internal", "192.168.0.10"],
      databaseUrl: "postgresql://user:secret@db/desk",
      dataDir: "/data",
      engine: {
        kind: "inngest",
        baseUrl: "http://inngest:8288",
        isDev: false,
        signingKey: "signkey-test-12ab",
        eventKey: "event-key",
      },
      policyFile: "/etc/desk.yaml",
      timeout: "2 days",
      agent: "agentkit",
      model: {
        kind: "provider",
        format: "anthropic",
        apiKey: "key",
        model: "a-model",
        baseUrl: "https://models.example.com/v1",
      },
      channels: {},
    });
  });

  it("chooses OpenAI if the keys of both providers are set", () => {
    const { model } = readConfig({ OPENAI_API_KEY: "a", OPENAI_MODEL: "m", ANTHROPIC_API_KEY: "b" });
    expect(model).toEqual({ kind: "provider", format: "openai", apiKey: "a", model: "m" });
  });

  it.each(["1s", "30m", "365d", "1 hour"])("accepts a timeout of %s", (timeout) => {
    expect(readConfig({ COUNTERSIGN_TIMEOUT: timeout }).timeout).toBe(timeout);
  });

  it.each([
    ["PORT", "http", 'PORT="http" must be a whole number from 0 to 65535. For example: PORT=3000'],
    ["PORT", "65536", 'PORT="65536" must be a whole number from 0 to 65535. For example: PORT=3000'],
    ["PORT", "-1", 'PORT="-1" must be a whole number from 0 to 65535. For example: PORT=3000'],
    ["PORT", "80.5", 'PORT="80.5" must be a whole number from 0 to 65535. For example: PORT=3000'],
    [
      "COUNTERSIGN_TIMEOUT",
      "soon",
      'COUNTERSIGN_TIMEOUT="soon" must be a duration from 1 second to 365 days. For example: COUNTERSIGN_TIMEOUT=30m',
    ],
    [
      "DEMO_MODEL_FORMAT",
      "gemini",
      'DEMO_MODEL_FORMAT="gemini" must be "openai" or "anthropic". For example: DEMO_MODEL_FORMAT=openai',
    ],
    [
      "INNGEST_BASE_URL",
      "inngest:8288",
      "INNGEST_BASE_URL must be an http:// or https:// URL. For example: INNGEST_BASE_URL=http://127.0.0.1:8288",
    ],
    [
      "INNGEST_DEV",
      "yes",
      'INNGEST_DEV="yes" must be 1, 0 or an http:// or https:// URL. For example: INNGEST_DEV=1',
    ],
    [
      "ALLOWED_HOSTS",
      "desk.internal:3000",
      'ALLOWED_HOSTS="desk.internal:3000" must be host names or IP addresses without ports, separated by commas. For example: ALLOWED_HOSTS=desk.internal,192.168.0.10',
    ],
  ])("refuses %s=%s with a message of one line", (name, value, line) => {
    expect(linesFor({ [name]: value })).toEqual([line]);
  });

  it.each(["500ms", "366d", "-5m", "0", "1800000", "30 minuten"])("refuses a timeout of %s", (timeout) => {
    expect(linesFor({ COUNTERSIGN_TIMEOUT: timeout })).toHaveLength(1);
  });

  it.each(["mysql://root:secret@db/desk", "localhost:5432", "secret"])(
    "refuses the database URL %s without printing it",
    (url) => {
      const lines = linesFor({ DATABASE_URL: url });
      expect(lines).toEqual([
        "DATABASE_URL must be a postgres:// or postgresql:// URL. For example: DATABASE_URL=postgres://user:password@localhost:5432/countersign",
      ]);
    },
  );

  it("names every invalid variable", () => {
    expect(linesFor({ PORT: "x", OPENAI_BASE_URL: "ftp://x" }).map((line) => line.split(/[ =]/)[0])).toEqual([
      "PORT",
      "OPENAI_BASE_URL",
    ]);
  });
});
