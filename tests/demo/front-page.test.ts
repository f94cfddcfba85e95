import { brotliDecompressSync } from "node:zlib";
import { createDemo, type Demo, readConfig } from "@countersign/demo";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let demo: Demo;
const get = (path: string, headers: Record<string, string> = {}) =>
  demo.fetch(new Request(`http://localhost:3000${path}`, { headers }));

/** The addresses of the scripts, styles and icons that the page names. */
async function assetsOfPage(): Promise<string[]> {
  const html = await (await get("/")).text();
  return [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? "");
}

beforeAll(async () => {
  demo = await createDemo(readConfig({ PORT: "0", DATA_DIR: "memory://" }));
});
afterAll(() => demo.stop());

describe("the server of the demo's front page", () => {
  it("sends HTML that is never cached, framed, or allowed to run foreign scripts", async () => {
    const response = await get("/");
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "cache-control": "no-store",
      "content-type": expect.stringContaining("text/html"),
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    const policy = response.headers.get("content-security-policy");
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
    ]) {
      expect(policy).toContain(rule);
    }
    expect(policy).not.toContain("unsafe");
    const html = await response.text();
    expect(html).toContain("<title>Countersign demo</title>");
    expect(html).toContain('lang="en"');
    // No inline script, which the policy would block.
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)/);
    expect(response.headers.get("set-cookie")).toBeNull();
  });

  it("sends the page's files as immutable, and answers a known ETag with 304", async () => {
    const paths = await assetsOfPage();
    expect(paths.length).toBeGreaterThan(1);
    for (const path of paths) {
      const response = await get(path);
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get("cache-control")).toContain("immutable");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      const again = await get(path, { "if-none-match": response.headers.get("etag") ?? "" });
      expect(again.status).toBe(304);
    }
  });

  it("sends a compressed script to browsers that accept it", async () => {
    const script = (await assetsOfPage()).find((path) => path.endsWith(".js")) ?? "";
    const plain = await (await get(script)).text();
    const response = await get(script, { "accept-encoding": "gzip, br" });
    expect(response.headers.get("content-encoding")).toBe("br");
    expect(response.headers.get("vary")).toBe("Accept-Encoding");
    expect(brotliDecompressSync(Buffer.from(await response.arrayBuffer())).toString()).toBe(plain);
    expect((await get(script, { "accept-encoding": "br;q=0" })).headers.get("content-encoding")).toBeNull();
  });

  it.each(["/assets/nothing.js", "/assets/..%2findex.html", "/assets/..%2f..%2fpackage.json", "/index.html"])(
    "answers 404 at %s",
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );

  it("answers 403 to a host name that is not the demo's", async () => {
    const foreign = new Request("http://evil.example:3000/", { headers: { host: "evil.example:3000" } });
    expect((await demo.fetch(foreign)).status).toBe(403);
  });
});
