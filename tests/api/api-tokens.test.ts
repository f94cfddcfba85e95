import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Authenticator, apiTokenAuthenticator, createApiToken } from "countersign/auth";
import { approvalsApi } from "countersign/hono";
import { transform } from "esbuild";
import { afterEach, expect, it, vi } from "vitest";
import { openApiWorld } from "../support/api-world.js";

const work = fileURLToPath(new URL("./.examples", import.meta.url));
afterEach(() => {
  rmSync(work, { recursive: true, force: true });
  vi.unstubAllEnvs();
});

/** The guide's tokens in a database. */
interface Example {
  createTable(): Promise<void>;
  newToken(id: string, tenant: string, roles: string[]): Promise<string>;
  authenticate: Authenticator;
}

async function openExample(databaseUrl: string): Promise<Example> {
  const guide = readFileSync(new URL("../../docs/authentication.md", import.meta.url), "utf8");
  const [, code = ""] = /```ts\n([\s\S]*?)```/.exec(guide.slice(guide.indexOf("pass `lookup`"))) ?? [];
  mkdirSync(work, { recursive: true });
  writeFileSync(`${work}/tokens.mjs`, (await transform(code, { loader: "ts" })).code);
  vi.stubEnv("DATABASE_URL", databaseUrl);
  return import(/* @vite-ignore */ `${work}/tokens.mjs`);
}

it("an API token is accepted from the guide's table and from a list, by the hash that createApiToken returned", async () => {
  await using world = await openApiWorld();
  const example = await openExample(world.database.url);
  await example.createTable();
  const stored = await example.newToken("pager-bot", "acme", ["operator"]);
  const { token: listed, hash } = createApiToken();
  const fromList = apiTokenAuthenticator({
    tokens: [
      { id: "pager-bot", hash, principal: { id: "pager-bot", tenantId: "acme", roles: ["operator"] } },
    ],
  });

  for (const [authenticate, token, unknown] of [
    [example.authenticate, stored, listed],
    [fromList, listed, stored],
  ] as const) {
    const api = approvalsApi(world.countersign, { authenticate });
    const me = (bearer: string) => api.request("/me", { headers: { authorization: `Bearer ${bearer}` } });
    const known = await me(token);
    expect(known.status).toBe(200);
    expect((await known.json()).principal).toMatchObject({ id: "pager-bot", roles: ["operator"] });
    expect((await me(unknown)).status).toBe(401);
  }
});
