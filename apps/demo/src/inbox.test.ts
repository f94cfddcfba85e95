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
    "serves the page at %s, and keeps nobody's copy",
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

  it("serves what the page names, for good", async () => {
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

  it("sends compressed what the build has compressed, to who takes it", async () => {
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

  it("names what it asks first, and asks nothing of others", async () => {
    const html = await (await get("/inbox")).text();
    const asked = [
      ...html.matchAll(/<link rel="preload" as="fetch" crossorigin="anonymous" href="([^"]+)"/g),
    ];
    expect(asked.map(([, href]) => href)).toEqual([
      "/api/me",
      "/api/approvals?status=pending&amp;sort=expires&amp;limit=50",
    ]);
    for (const [, href] of asked) expect((await get(href?.replaceAll("&amp;", "&") ?? "")).status).toBe(401);
  });

  it("has no page where a file is missing", async () => {
    expect((await get("/inbox/assets/nothing.js")).status).toBe(404);
    expect((await get("/inbox/assets/..%2findex.html")).status).toBe(404);
  });

  it("holds no script of its own but data", async () => {
    const html = await (await get("/inbox")).text();
    const inline = [...html.matchAll(/<script([^>]*)>([^<]+)<\/script>/g)];
    expect(inline.map(([, attributes]) => attributes?.trim())).toEqual([
      'type="application/json" id="countersign-config"',
    ]);
  });
});
