import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type McpWorld, openMcpWorld } from "../support/mcp-server/mcp-world.js";

let world: McpWorld;
beforeAll(async () => {
  world = await openMcpWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

async function post(token: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await world.post(token, JSON.stringify(body), headers);
  return {
    status: response.status,
    session: response.headers.get("mcp-session-id"),
    text: await response.text(),
  };
}

const initialize = (capabilities: object = { elicitation: { url: {}, form: {} } }) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "raw", version: "1" } },
});
const tool = (name: string, args: object = {}, meta?: object) => ({
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name, arguments: args, ...(meta && { _meta: meta }) },
});
const modern = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const modernHeaders = {
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/call",
  "mcp-name": "list_pending_approvals",
};

describe("a hostile client of 2025", () => {
  it("gains nothing from another person's session id or a made-up one", async () => {
    const { id } = await world.waiting();
    const { session } = await post("finance", initialize());
    expect(session).toMatch(/^cs-uf-/);
    for (const stolen of [session ?? "", "cs-uf-00000000-0000-0000-0000-000000000000", "finance", "cs-"]) {
      const headers = { "mcp-session-id": stolen, "mcp-protocol-version": "2025-11-25" };
      const { text } = await post("stranger", tool("get_approval", { approvalId: id }), headers);
      expect(text).toContain("not_found");
      expect((await post("nobody", tool("get_approval", { approvalId: id }), headers)).status).toBe(401);
      // The token says who asks, whatever session id is sent.
      expect((await post("finance", tool("get_approval", { approvalId: id }), headers)).text).toContain(id);
    }
    await world.decide("finance", id, "deny");
  });

  it("needs no session or version header, and is refused with an unknown version", async () => {
    expect((await post("finance", tool("list_pending_approvals"))).status).toBe(200);
    for (const version of ["1999-01-01", "2026-07-29", "x"]) {
      const headers = { "mcp-protocol-version": version };
      expect([version, (await post("finance", tool("list_pending_approvals"), headers)).status]).toEqual([
        version,
        400,
      ]);
    }
  });
});

describe("a hostile client of 2026", () => {
  const list = tool("list_pending_approvals", {}, modern);

  it("must send headers that match its body", async () => {
    expect((await post("finance", list, modernHeaders)).status).toBe(200);
    for (const wrong of [
      { "mcp-name": "get_approval" },
      { "mcp-method": "tools/list" },
      { "mcp-protocol-version": "2025-11-25" },
    ]) {
      expect([wrong, (await post("finance", list, { ...modernHeaders, ...wrong })).status]).toEqual([
        wrong,
        400,
      ]);
    }
  });

  it("gets a 4xx error for an invalid request, and the server keeps working", async () => {
    for (const body of [
      [],
      [list, list],
      null,
      1,
      {},
      { jsonrpc: "2.0" },
      { ...list, method: "tools/steal" },
    ]) {
      const { status, text } = await post("finance", body, modernHeaders);
      expect([body, status]).toEqual([
        body,
        expect.toSatisfy((given: number) => given >= 400 && given < 500),
      ]);
      expect(text).not.toMatch(/ at .*\.js|stack/);
    }
    expect((await post("finance", list, modernHeaders)).status).toBe(200);
  });

  it("cannot reach an approval or another tool with made-up names and arguments", async () => {
    const { id } = await world.waiting();
    for (const args of [
      { approvalId: `${id}' or '1'='1` },
      { approvalId: "%" },
      { approvalId: ["x", id] },
      { approvalId: { ne: "" } },
      { approvalId: "\u0000" },
      {},
    ]) {
      const { status, text } = await post("finance", tool("get_approval", args, modern), {
        ...modernHeaders,
        "mcp-name": "get_approval",
      });
      expect(status).toBeLessThan(500);
      expect(text).not.toContain(`"id":"${id}"`);
    }
    for (const name of ["__proto__", "constructor", "approve_approval", ""]) {
      const { text } = await post("finance", tool(name, {}, modern), { ...modernHeaders, "mcp-name": name });
      expect(text).toContain('"error"');
    }
    await world.decide("finance", id, "deny");
  });
});
