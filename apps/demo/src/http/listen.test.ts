import { get } from "node:http";
import { describe, expect, it } from "vitest";
import { listen } from "./listen.js";

const host = "127.0.0.1";

describe("listen", () => {
  it("passes on requests that `new Request` can copy, and closes", async () => {
    const listener = await listen(async (request) => new Response(await new Request(request).text()), {
      host,
      port: 0,
    });
    const response = await fetch(`http://${host}:${listener.port}/`, { method: "POST", body: "é😀" });
    expect(await response.text()).toBe("é😀");
    await listener.close();
    await expect(fetch(`http://${host}:${listener.port}/`)).rejects.toThrow();
  });

  it("passes on a request before its body has arrived", async () => {
    const listener = await listen(() => new Response("before the body"), { host, port: 0 });
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode("{")),
    });
    const init: RequestInit & { duplex: "half" } = { method: "POST", body, duplex: "half" };
    const response = await fetch(`http://${host}:${listener.port}/`, init);
    expect(await response.text()).toBe("before the body");
    await listener.close();
  });

  it.each(["a/b", "a b", "user@a"])("answers the malformed Host %j with a problem", async (malformed) => {
    const listener = await listen(() => new Response(), { host, port: 0 });
    const status = await new Promise<[number | undefined, string | undefined]>((resolve, reject) => {
      const headers = { host: malformed };
      get({ host, port: listener.port, headers, agent: false }, (response) =>
        resolve([response.resume().statusCode, response.headers["content-type"]]),
      ).on("error", reject);
    });
    expect(status).toEqual([400, "application/problem+json"]);
    await listener.close();
  });

  it("says what to do when the port is taken", async () => {
    const first = await listen(() => new Response(), { host, port: 0 });
    const { port } = first;
    await expect(listen(() => new Response(), { host, port })).rejects.toMatchObject({
      lines: [
        `PORT="${port}" is taken by another program. Stop it, or choose another: PORT=${port + 1} npm run demo`,
      ],
    });
    await first.close();
  });
});
