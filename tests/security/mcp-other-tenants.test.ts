import type { Principal } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, requested } from "../support/mcp-server/agent-requests.js";
import { type McpWorld, openMcpWorld, structured } from "../support/mcp-server/mcp-world.js";
import { proposeCall } from "../support/proposals.js";

/** A token that encodes its principal. */
const tokenOf = (principal: Principal) => Buffer.from(JSON.stringify(principal)).toString("base64url");

const owner: Principal = { id: "agent", tenantId: "acme", roles: ["agent", "finance"] };
/** The same person in other tenants. */
const strangers = ["other", "acme.", "ACME", "%"].map((tenantId) => ({ ...owner, tenantId }));

interface Target {
  id: string;
  digest: string;
  action: { tool: string; arguments: Record<string, unknown> };
}

/** The arguments that a stranger sends. They are valid for the owner of the target. */
const tools: Record<string, ((target: Target) => Record<string, unknown>) | "about the caller"> = {
  get_approval: ({ id }) => ({ approvalId: id }),
  get_conversation: ({ id }) => ({ approvalId: id }),
  decide_approval: ({ id }) => ({ approvalId: id }),
  deny_approval: ({ id }) => ({ approvalId: id }),
  get_approval_outcome: ({ id }) => ({ approvalId: id, waitSeconds: 1 }),
  use_approval: ({ id, digest, action }) => ({ approvalId: id, digest, ...action }),
  withdraw_approval_request: ({ id }) => ({ approvalId: id }),
  list_pending_approvals: "about the caller",
  request_approval: "about the caller",
};

describe("an MCP client of another tenant", () => {
  let world: McpWorld;
  const targets: Target[] = [];
  beforeAll(async () => {
    world = await openMcpWorld({
      server: {
        authenticate: (request) => {
          const token = request.headers.get("authorization")?.replace("Bearer ", "") ?? "";
          return JSON.parse(Buffer.from(token, "base64url").toString());
        },
      },
    });
    const client = await world.client(tokenOf(owner));
    const { approvalId, action, outcome } = await requested(client);
    targets.push({ id: approvalId, digest: String(outcome.digest), action });
    const [approval] = await proposeCall(world.store, { approvers: { roles: ["finance"], ids: [] } });
    if (!approval) throw new Error("Nothing was proposed");
    const { id, digest, toolName, inputJson } = approval;
    targets.push({ id, digest, action: { tool: toolName, arguments: JSON.parse(inputJson) } });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  const clients = () => Promise.all(strangers.map((who) => world.client(tokenOf(who))));

  it("has a test case for every tool and every resource", async () => {
    const client = await world.client(tokenOf(owner));
    const listed = await client.listTools();
    expect(listed.tools.map(({ name }) => name).sort()).toEqual(Object.keys(tools).sort());
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "countersign://approvals/{approvalId}",
    ]);
    expect((await client.listResources()).resources).toHaveLength(2);
  });

  it("gets the same answer for every id as for one that does not exist, and changes nothing", async () => {
    for (const client of await clients()) {
      for (const [name, argumentsOf] of Object.entries(tools)) {
        if (argumentsOf === "about the caller") continue;
        for (const target of targets) {
          const answer = await call(client, name, argumentsOf(target));
          expect([name, answer]).toMatchObject([name, { isError: true }]);
          expect(structured(answer)).toMatchObject({ error: { code: "not_found" } });
          expect(answer).toEqual(
            await call(client, name, argumentsOf({ ...target, id: "nothing_has_this" })),
          );
        }
      }
    }
    for (const { id } of targets) {
      const trail = await world.store.auditTrail("acme", id);
      expect(trail.map(({ type }) => type)).not.toContain("approval.denied");
      expect(await world.store.getApproval("acme", id)).toMatchObject({ status: "pending" });
    }
  });

  it("finds no approval in lists and resources", async () => {
    for (const client of await clients()) {
      const { items, nextCursor } = structured(await call(client, "list_pending_approvals"));
      expect([items, nextCursor]).toEqual([[], null]);
      expect((await client.listResources()).resources).toEqual([]);
      const read = (id: string) =>
        client.readResource({ uri: `countersign://approvals/${id}` }).catch((error: Error) => error.message);
      for (const { id } of targets) {
        expect(String(await read(id)).replaceAll(id, "ID")).toEqual(
          String(await read("nothing_has_this")).replaceAll("nothing_has_this", "ID"),
        );
      }
    }
  });

  it("does not join a request of the first tenant by the same key or the same arguments", async () => {
    const client = await world.client(tokenOf(owner));
    const named = { tool: "refund", arguments: { order: "shared" }, key: "shared" };
    const own = structured(await call(client, "request_approval", named)).approvalId;
    for (const stranger of await clients()) {
      for (const request of [named, { tool: "refund", arguments: named.arguments }]) {
        const { approvalId } = structured(await call(stranger, "request_approval", request));
        expect(approvalId).toEqual(expect.any(String));
        expect(approvalId).not.toBe(own);
      }
    }
    const withdrawn = await call(client, "withdraw_approval_request", { approvalId: own });
    expect(structured(withdrawn)).toMatchObject({ status: "refused" });
  });
});
