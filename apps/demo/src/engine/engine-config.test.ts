import { describe, expect, it } from "vitest";
import { ConfigError } from "../config-error.js";
import { engineConfig } from "./engine-config.js";

const keys = { INNGEST_SIGNING_KEY: "signkey-test-12ab", INNGEST_EVENT_KEY: "event-key" };
const devServer = "http://127.0.0.1:8288";
const elsewhere = "http://inngest:8288";
const cloud = "https://api.inngest.com";

function linesFor(env: Parameters<typeof engineConfig>[0]): readonly string[] {
  try {
    engineConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.lines;
    throw error;
  }
  return [];
}

describe("engineConfig", () => {
  it("chooses the local engine if no server is named, and passes the keys on", () => {
    expect(engineConfig({})).toEqual({ kind: "local" });
    expect(engineConfig({ INNGEST_DEV: "0" })).toEqual({ kind: "local" });
    expect(engineConfig(keys)).toEqual({
      kind: "local",
      signingKey: "signkey-test-12ab",
      eventKey: "event-key",
    });
  });

  it.each([
    [{ INNGEST_DEV: "1" }, devServer],
    [{ INNGEST_DEV: "true" }, devServer],
    [{ INNGEST_DEV: elsewhere }, elsewhere],
    [{ INNGEST_BASE_URL: devServer }, devServer],
    [{ INNGEST_BASE_URL: "http://localhost:8288" }, "http://localhost:8288"],
    [{ INNGEST_BASE_URL: elsewhere, INNGEST_DEV: "1" }, elsewhere],
    [{ INNGEST_BASE_URL: cloud, INNGEST_DEV: "1" }, cloud],
  ])("treats %j as a Dev Server, which signs nothing", (env, baseUrl) => {
    expect(engineConfig(env)).toEqual({ kind: "inngest", baseUrl, isDev: true });
  });

  it.each([
    { INNGEST_BASE_URL: devServer },
    { INNGEST_BASE_URL: elsewhere },
    { INNGEST_BASE_URL: cloud },
    { INNGEST_BASE_URL: devServer, INNGEST_DEV: "1" },
    { INNGEST_BASE_URL: devServer, INNGEST_DEV: "0" },
    { INNGEST_DEV: elsewhere },
  ])("requires signatures for %j with a signing key", (env) => {
    expect(engineConfig({ ...env, ...keys })).toMatchObject({ kind: "inngest", isDev: false });
  });

  it.each([
    [{ INNGEST_BASE_URL: devServer, INNGEST_DEV: "0" }, devServer],
    [{ INNGEST_BASE_URL: devServer, INNGEST_DEV: "false" }, devServer],
    [{ INNGEST_BASE_URL: "http://user:secret@inngest:8288" }, elsewhere],
    [{ INNGEST_BASE_URL: cloud }, cloud],
  ])("names the missing keys for %j", (env, server) => {
    expect(linesFor(env)).toEqual([
      `INNGEST_SIGNING_KEY must be set: it signs the calls of Inngest at ${server}. For a Dev Server, which signs nothing, set INNGEST_DEV=1.`,
      `INNGEST_EVENT_KEY must be set: Inngest at ${server} takes events under its keys only.`,
    ]);
    expect(linesFor({ ...env, INNGEST_SIGNING_KEY: "signkey-test-12ab" })).toHaveLength(1);
  });
});
