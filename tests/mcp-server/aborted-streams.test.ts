import { expect, it } from "vitest";
import { openMcpWorld } from "../support/mcp-server/mcp-world.js";

it("a stream whose client left before the answer ends and does not count against the limit", async () => {
  await using world = await openMcpWorld();
  for (let sent = 0; sent < 25; sent++) {
    const client = new AbortController();
    const request = new Request(world.url, {
      headers: { authorization: "Bearer lead", accept: "text/event-stream" },
      signal: client.signal,
    });
    const answered = world.mcp.fetch(request);
    client.abort();
    const response = await answered;
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("");
  }
});
