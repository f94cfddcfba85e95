import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDemo, type Demo, readConfig } from "./app.js";

let demo: Demo;
const get = (path: string, headers: Record<string, string> = {}) =>
  demo.fetch(new Request(`http://localhost:3000${path}`, { headers }));

beforeAll(async () => {
  demo = await createDemo(readConfig({ PORT: "0", DATA_DIR: "memory://" }));
});
afterAll(() => demo.stop());

describe("the demo's inbox", () => {
  it.each(["/inbox", "/inbox/", "/inbox/approvals/apr_1"])(
    "serves the page at %s uncached, with a strict Content-Security-Policy",
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "cache-control": "no-store",
        "content-type": expect.stringContaining("text/html"),
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
      });
      const policy = response.headers.get("content-security-policy");
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("unsafe");
    },
  );

  it("serves the page's files as immutable, and answers a known ETag with 304", async () => {
    const html = await (await get("/inbox/approvals/apr_1")).text();
    const paths = [...html.matchAll(/(?:src|href)="([^"]+\/assets\/[^"]+)"/g)].map(([, path]) => path ?? "");
    expect(paths.length).toBeGreaterThan(1);
    for (const path of paths) {
      const response = await get(path);
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get("cache-control")).toContain("immutable");
      const again = await get(path, { "if-none-match": response.headers.get("etag") ?? "" });
      expect(again.status).toBe(304);
    }
  });

  it("sends a compressed script to browsers that accept it", async () => {
    const html = await (await get("/inbox")).text();
    const script = html.match(/src="([^"]+\.js)"/)?.[1] ?? "";
    const plain = await (await get(script)).text();
    const unpacked = { br: brotliDecompressSync, gzip: gunzipSync };
    for (const encoding of ["br", "gzip"] as const) {
      const response = await get(script, {
        "accept-encoding": `gzip;q=${encoding === "br" ? 1 : 0.5}, ${encoding}`,
      });
      expect(response.headers.get("content-encoding")).toBe(encoding);
      expect(response.headers.get("vary")).toBe("Accept-Encoding");
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(bytes.length).toBeLessThan(plain.length / 2);
      expect(unpacked[encoding](bytes).toString()).toBe(plain);
    }
    expect((await get(script, { "accept-encoding": "br;q=0" })).headers.get("content-encoding")).toBeNull();
  });

  it("preloads exactly two API requests, which need a signed-in person", async () => {
    const html = await (await get("/inbox")).text();
    const preloads = [
      ...html.matchAll(/<link rel="preload" as="fetch" crossorigin="anonymous" href="([^"]+)"/g),
    ];
    expect(preloads.map(([, href]) => href)).toEqual([
      "/api/me",
      "/api/approvals?list=for_you&amp;fields=row&amp;sort=expires&amp;limit=50",
    ]);
    for (const [, href] of preloads)
      expect((await get(href?.replaceAll("&amp;", "&") ?? "")).status).toBe(401);
  });

  it("answers 404 for a file that does not exist", async () => {
    expect((await get("/inbox/assets/nothing.js")).status).toBe(404);
    expect((await get("/inbox/assets/..%2findex.html")).status).toBe(404);
  });

  it("has no inline script except its configuration data", async () => {
    const html = await (await get("/inbox")).text();
    const inline = [...html.matchAll(/<script([^>]*)>([^<]+)<\/script>/g)];
    expect(inline.map(([, attributes]) => attributes?.trim())).toEqual([
      'type="application/json" id="countersign-config"',
    ]);
  });
});
