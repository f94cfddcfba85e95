import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type McpWorld, openMcpWorld, structured } from "../support/mcp-server/mcp-world.js";
import { proposeCall } from "../support/proposals.js";

let world: McpWorld;
beforeAll(async () => {
  world = await openMcpWorld({
    server: {
      authorization: {
        resource: "https://desk.example.com/api/mcp",
        authorizationServers: ["https://login.example.com"],
        scopesSupported: ["approvals"],
      },
      allowedOrigins: ["https://client.example.com"],
    },
  });
});
afterAll(() => world[Symbol.asyncDispose]());

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};
const post = (headers: Record<string, string> = {}, body = JSON.stringify(initialize)) =>
  world.post("finance", body, headers);

describe("a request to the MCP server", () => {
  it("without a valid token learns where to get one", async () => {
    for (const authorization of ["", "Bearer nobody"]) {
      const response = await post({ authorization });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe(
        'Bearer resource_metadata="https://desk.example.com/.well-known/oauth-protected-resource/api/mcp"',
      );
    }
    const metadata = await fetch(new URL("/.well-known/oauth-protected-resource/api/mcp", world.url));
    expect(await metadata.json()).toEqual({
      resource: "https://desk.example.com/api/mcp",
      authorization_servers: ["https://login.example.com"],
      bearer_methods_supported: ["header"],
      scopes_supported: ["approvals"],
    });
  });

  it("from a page of a foreign origin is refused before anybody is authenticated", async () => {
    expect((await post({ origin: "https://evil.example", authorization: "Bearer nobody" })).status).toBe(403);
    expect((await post({ origin: "https://evil.example" })).status).toBe(403);
    expect((await post({ origin: "null" })).status).toBe(403);
    expect((await post({ origin: world.url.origin })).status).toBe(200);
    expect((await post({ origin: "https://client.example.com" })).status).toBe(200);
  });

  it("must be a POST of JSON of a limited size", async () => {
    expect((await post({ "content-type": "text/plain" })).status).toBe(415);
    expect((await post({}, "{")).status).toBe(400);
    expect((await post({}, JSON.stringify({ ...initialize, pad: "x".repeat(3_000_000) }))).status).toBe(413);
    const get = { authorization: "Bearer finance" };
    expect((await fetch(world.url, { headers: get })).status).toBe(405);
    expect((await fetch(world.url, { method: "DELETE", headers: get })).status).toBe(405);
  });

  it("is refused if its principal sends too many requests or waits for too many decisions", async () => {
    await using small = await openMcpWorld({
      database: world.database,
      server: { rateLimit: { perMinute: 3 } },
    });
    const headers = { authorization: "Bearer finance" };
    const statuses = [];
    for (let sent = 0; sent < 4; sent++) {
      const response = await fetch(small.url, { headers });
      statuses.push(response.status);
      if (response.status === 429) expect(response.headers.get("retry-after")).toMatch(/^\d+$/);
    }
    expect(statuses).toEqual([405, 405, 405, 429]);

    const agent = await world.client("agent");
    const request = { name: "request_approval", arguments: { tool: "refund", arguments: { order: "W" } } };
    const { approvalId } = structured(await agent.callTool(request));
    const wait = { name: "get_approval_outcome", arguments: { approvalId, waitSeconds: 30 } };
    const waits = Array.from({ length: 21 }, () => agent.callTool(wait));
    expect(await Promise.race(waits)).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "too_many_requests" } },
    });
    await world.decide("finance", String(approvalId), "deny");
    const outcomes = (await Promise.all(waits)).map(({ isError }) => isError === true);
    expect(outcomes.filter(Boolean)).toHaveLength(1);
  });

  it("gets no metadata if the host names no authorization server", async () => {
    await using plain = await openMcpWorld({ database: world.database });
    expect(plain.mcp.metadata().status).toBe(404);
    const response = await fetch(plain.url, { method: "POST" });
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  });
});

describe("change notifications", () => {
  const changes = async (token: string, uris: string[]) => {
    const client = await world.client(token);
    const seen: string[] = [];
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      seen.push(params.uri);
    });
    client.setNotificationHandler("notifications/resources/list_changed", () => {
      seen.push("list");
    });
    await client.listen({ resourcesListChanged: true, resourceSubscriptions: uris });
    return seen;
  };

  it("reach only people who may see the approval", async () => {
    const { id } = await world.waiting();
    const uri = `countersign://approvals/${id}`;
    const finance = await changes("finance", [uri]);
    const others = [await changes("stranger", [uri]), await changes("lead", [uri])];
    await world.decide("finance", id, "approve");
    await expect.poll(() => finance).toEqual([uri, "list"]);
    // The others may see these later changes. By the time they arrive, the earlier one would have arrived too.
    await proposeCall(world.store, { tenantId: "other" });
    await proposeCall(world.store, { approvers: { roles: [], ids: ["lead"] } });
    await expect.poll(() => others.map((seen) => seen.includes("list"))).toEqual([true, true]);
    expect(others.flat()).not.toContain(uri);
  });

  it("end when the token is no longer valid", async () => {
    let valid = true;
    await using brief = await openMcpWorld({
      database: world.database,
      server: {
        heartbeatMs: 20,
        authenticate: () => (valid ? { id: "finance", tenantId: "acme", roles: ["finance"] } : null),
      },
    });
    const client = await brief.client("finance");
    const subscription = await client.listen({ resourcesListChanged: true });
    const notices = await fetch(brief.url, { headers: { accept: "text/event-stream" } });
    valid = false;
    expect(["graceful", "remote"]).toContain(await subscription.closed);
    expect(await notices.text()).not.toContain("data:");
  });

  it("are limited to twenty streams per person", async () => {
    const open = new AbortController();
    const headers = { authorization: "Bearer requester", accept: "text/event-stream" };
    const streams = await Promise.all(
      Array.from({ length: 21 }, () => fetch(world.url, { headers, signal: open.signal })),
    );
    expect(streams.map(({ status }) => status).sort()).toEqual([...Array(20).fill(200), 429]);
    open.abort();
    const again = async () => {
      const response = await fetch(world.url, { headers });
      await response.body?.cancel();
      return response.status;
    };
    await expect.poll(again).toBe(200);
  });
});
