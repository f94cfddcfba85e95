import { describe, expect, it } from "vitest";
import { listen } from "./listen.js";

const host = "127.0.0.1";

describe("listen", () => {
  it("hands on requests that the platform can copy", async () => {
    const listener = await listen(async (request) => new Response(await new Request(request).text()), {
      host,
      port: 0,
    });
    const response = await fetch(`http://${host}:${listener.port}/`, { method: "POST", body: "é😀" });
    expect(await response.text()).toBe("é😀");
    await listener.close();
    await expect(fetch(`http://${host}:${listener.port}/`)).rejects.toThrow();
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
