import { describe, expect, test } from "vitest";
import type { LocalEngineOptions } from "../index.js";
import { listenWithFetch } from "../testing/http-server.js";
import { createHarness, type Harness } from "../testing/sdk-harness.js";
import { emptyPglite } from "../testing/shared-pglite.js";

const site = "http://127.0.0.1:8288";
const json = { "content-type": "application/json" };
const MiB = 1024 * 1024;

/** A request as it arrives from the network. */
async function ask(harness: Harness, path: string, init: RequestInit & { duplex?: "half" } = {}) {
  const response = await harness.engine.fetch(`${site}${path}`, { method: "POST", ...init });
  return { status: response.status, body: (await response.json()) as { error?: string } };
}

const registration = (
  change: { id?: string; url?: string; functionUrl?: string; functionId?: string } = {},
) => {
  const { id = "shop", url = "http://127.0.0.1:3000/api/inngest", functionUrl = url } = change;
  const runtime = { type: "http", url: functionUrl };
  return JSON.stringify({
    appName: id,
    url,
    functions: [
      { id: change.functionId ?? `${id}-f`, triggers: [{ event: "t/start" }], steps: { step: { runtime } } },
    ],
  });
};

async function registered(harness: Harness): Promise<string[]> {
  const response = await harness.engine.fetch(`${site}/dev`);
  return ((await response.json()) as { functions: { slug: string }[] }).functions.map(({ slug }) => slug);
}

const createShop = (options: Partial<LocalEngineOptions> = {}) =>
  createHarness(
    (inngest) => [inngest.createFunction({ id: "own", triggers: { event: "t/own" } }, async () => "own")],
    { apps: { shop: "http://127.0.0.1:3000" }, ...options },
  );

/** A body that counts how much of it is read. */
function endlessBody() {
  const read = { bytes: 0 };
  const body = new ReadableStream({
    pull(controller) {
      const chunk = new TextEncoder().encode(" ".repeat(64 * 1024));
      read.bytes += chunk.length;
      controller.enqueue(chunk);
    },
  });
  return { body, read };
}

describe("a page of another site", () => {
  test.each([
    ["a foreign Origin", { ...json, origin: "https://evil.example" }, 403],
    ["Sec-Fetch-Site: cross-site", { ...json, "sec-fetch-site": "cross-site" }, 403],
    ["a body that is not JSON", { "content-type": "text/plain" }, 415],
  ])("is refused on all routes for %s", async (_, headers, status) => {
    await using harness = await createShop();
    const send = (path: string, body: string, method = "POST") =>
      ask(harness, path, { method, headers, body });
    expect((await send("/fn/register", registration())).status).toBe(status);
    expect((await send("/e/key", '{"name":"t/own"}')).status).toBe(status);
    expect((await send("/v1/checkpoint/x/async", "{}")).status).toBe(status);
    expect((await send("/v1/runs/x", "", "DELETE")).status).toBe(status);
    expect(await registered(harness)).toEqual(["app-own"]);
  });

  test("is refused if it calls the engine under an unknown host name", async () => {
    await using harness = await createShop({ hosts: ["engine.internal"] });
    const send = (host: string) => harness.engine.fetch(`http://${host}/dev`);
    expect((await send("evil.example:8288")).status).toBe(403);
    expect((await send("local-engine.invalid")).status).toBe(403);
    expect((await send("engine.internal:8288")).status).toBe(200);
  });
});

describe("the registration of an app", () => {
  test("is refused if the options do not name the app", async () => {
    await using harness = await createShop({ apps: {} });
    expect(await ask(harness, "/fn/register", { headers: json, body: registration() })).toEqual({
      status: 403,
      body: { status: 403, error: expect.stringContaining('does not accept the app "shop"') },
    });
  });

  test("is accepted only from the origin that the options give the app", async () => {
    await using harness = await createShop();
    const send = async (change: Parameters<typeof registration>[0]) =>
      (await ask(harness, "/fn/register", { headers: json, body: registration(change) })).body.error;
    expect(await send({ id: "evil" })).toMatch(/does not accept the app "evil"/);
    expect(await send({ url: "http://127.0.0.1:4399/x" })).toMatch(
      /must be served at http:\/\/127.0.0.1:3000/,
    );
    expect(await send({ functionUrl: "http://10.0.0.1/metadata" })).toMatch(/not at http:\/\/10.0.0.1/);
    expect(await send({ functionId: "app-own" })).toMatch(/must start with "shop-"/);
    expect(await send({ id: "app", functionId: "app-own" })).toMatch(/runs in the engine's own process/);
    expect(await registered(harness)).toEqual(["app-own"]);
    expect(await send({})).toBe(undefined);
    expect(await registered(harness)).toEqual(["app-own", "shop-f"]);
    expect(await harness.send("t/own")).toMatchObject([{ output: "own" }]);
  });

  test.each(["127.0.0.1:3000", "http://127.0.0.1:3000/", "ftp://127.0.0.1"])(
    "may not have %s as the app's origin",
    async (origin) => {
      await expect(createShop({ apps: { shop: origin } })).rejects.toThrow("apps.shop: ");
    },
  );

  test("is ignored while the options do not name the app, and its runs wait", async () => {
    const database = { pglite: await emptyPglite() };
    const warnings: string[] = [];
    const logger = { warn: (text: string) => warnings.push(text), error() {} };
    let calls = 0;
    const shop = await listenWithFetch(async () => {
      calls++;
      return Response.json({ message: "not yet" }, { status: 500 });
    });
    const apps = { shop: shop.url };
    await using first = await createShop({ database, apps });
    const body = registration({ url: `${shop.url}/api/inngest` });
    expect((await ask(first, "/fn/register", { headers: json, body })).status).toBe(200);
    const { ids } = await first.inngest.send({ name: "t/start" });
    await first.engine.idle();
    await first.engine.stop();
    expect(calls).toBe(1);

    await using second = await createShop({ database, apps: {}, logger });
    expect(warnings).toEqual([expect.stringMatching(/stored app "shop" was ignored: .*apps option/)]);
    await second.clock.advance("1h");
    await second.engine.idle();
    expect(await second.runsOf(ids[0] ?? "")).toMatchObject([{ status: "Running" }]);
    await second.engine.stop();
    expect(calls).toBe(1);

    await using third = await createShop({ database, apps });
    await third.clock.advance("1h");
    await third.engine.idle();
    expect(calls).toBe(2);
    await shop.close();
  });
});

test("an empty signing key is refused", async () => {
  await expect(createShop({ signingKey: "" })).rejects.toThrow("signingKey: must not be empty");
});

describe("a request body", () => {
  test("is refused by its declared length if it is too large, whoever sends it", async () => {
    await using harness = await createShop({ eventKeys: ["secret"] });
    const headers = { ...json, "content-length": String(30 * MiB) };
    const { body, read } = endlessBody();
    expect((await ask(harness, "/e/x", { headers, body, duplex: "half" })).status).toBe(413);
    expect(read.bytes).toBeLessThan(MiB);
  });

  test("in chunks is read up to the limit, and only from an authorized sender", async () => {
    const pglite = await emptyPglite();
    await using harness = await createShop({ eventKeys: ["secret"], database: { pglite } });
    const send = async (path: string) => {
      const { body, read } = endlessBody();
      const { status } = await ask(harness, path, { headers: json, body, duplex: "half" });
      return { status, MiB: Math.floor(read.bytes / MiB) };
    };
    expect(await send("/e/wrong")).toEqual({ status: 401, MiB: 0 });
    expect(await send("/e/secret")).toEqual({ status: 413, MiB: 16 });
    expect(await send("/fn/register")).toEqual({ status: 413, MiB: 4 });
    expect(await send("/v1/checkpoint/x/async")).toEqual({ status: 413, MiB: 9 });
    expect(await send("/elsewhere")).toEqual({ status: 404, MiB: 0 });
    expect((await pglite.query("select id from local_engine.event")).rows).toEqual([]);
  });

  test("is refused as a whole if it contains an event of more than 512 KiB", async () => {
    await using harness = await createShop();
    const event = (bytes: number) => ({ name: "t/own", data: { text: "x".repeat(bytes) } });
    const send = (events: unknown) => ask(harness, "/e/key", { headers: json, body: JSON.stringify(events) });
    const fits = 512 * 1024 - JSON.stringify(event(0)).length;
    expect(await send([event(1), event(fits + 1)])).toMatchObject({
      status: 413,
      body: { error: "An event must not exceed 524288 bytes of JSON" },
    });
    expect((await send(event(fits))).status).toBe(200);
  });
});

test("the runs of an event are cached for 15 seconds, for each URL", async () => {
  await using harness = await createShop();
  const runsAt = async (path: string) => {
    const response = await harness.engine.fetch(`${site}${path}`);
    return (await response.json()) as { data: unknown[]; metadata: { cached_until: string } };
  };
  const early = await runsAt("/v1/events/my-id/runs");
  expect(early.data).toEqual([]);
  await harness.send("t/own", {}, "my-id");
  expect(await runsAt("/v1/events/my-id/runs")).toEqual(early);
  expect((await runsAt("/v1/events/my-id/runs?at=1")).data).toHaveLength(1);
  await harness.clock.advance("15s");
  expect((await runsAt("/v1/events/my-id/runs")).data).toHaveLength(1);
});
