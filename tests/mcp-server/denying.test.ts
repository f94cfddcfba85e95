import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { finance, giveBudget, hundred } from "../support/budgets.js";
import { lines, recordedCalls, recordedSum } from "../support/counts.js";
import { type McpWorld, openMcpWorld, structured } from "../support/mcp-server/mcp-world.js";
import { recordedPreview } from "../support/previews.js";

let world: McpWorld;
beforeAll(async () => {
  world = await openMcpWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const overMcp = { terms: { decideIn: ["inbox", "mcp"] } };
type Client2026 = Awaited<ReturnType<McpWorld["client"]>>;
const deny = (client: Client2026, approvalId: string) =>
  client.callTool({ name: "deny_approval", arguments: { approvalId } });

/** Sends a retry that no server asked for, with the made-up answers of a hostile client. */
async function retry(
  token: string,
  approvalId: string,
  answer: { inputResponses: unknown; requestState?: unknown },
  tool = "deny_approval",
) {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "hostile", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {}, url: {} } },
  };
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: tool, arguments: { approvalId }, _meta: meta, ...answer },
  });
  const response = await world.post(token, body, {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": tool,
  });
  return (await response.json()) as { result?: Record<string, unknown>; error?: { code: number } };
}

describe("deny_approval with a form", () => {
  it("records the reason, and that the decision came over MCP", async () => {
    const { id } = await world.waiting(overMcp);
    const client = await world.client("finance");
    const forms: unknown[] = [];
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      forms.push(params);
      return { action: "accept", content: { reason: "Wrong customer" } };
    });
    expect(structured(await deny(client, id))).toMatchObject({
      status: "denied",
      decision: { type: "deny", decidedBy: "finance", reason: "Wrong customer" },
    });
    expect(forms).toMatchObject([
      { message: expect.stringContaining("Refund A-1"), requestedSchema: { required: ["reason"] } },
    ]);
    const entry = (await world.store.auditTrail("acme", id)).find(({ type }) => type === "approval.denied");
    expect(entry).toMatchObject({ actorId: "finance", data: { via: "mcp" } });
  });

  it("says which tools the script of the call appears to call", async () => {
    const codePreview = [{ toolName: "delete_file", line: 3, column: 1 }];
    const { id } = await world.waiting({ terms: { ...overMcp.terms, codePreview } });
    const client = await world.client("finance");
    const shown: string[] = [];
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      shown.push(params.message);
      return { action: "decline" };
    });
    await deny(client, id);
    await client.callTool({ name: "decide_approval", arguments: { approvalId: id } });
    const preview =
      "Refund A-1\nThis code appears to use: delete_file (line 3). Found by reading the code, not by running it. It may use other tools.";
    expect(shown).toEqual([`Deny: ${preview}`, `Decide this call in the inbox: ${preview}`]);
  });

  it("says what the call would change, and a list of calls the first of it", async () => {
    const effects = [{ target: "order A-1", before: "paid", after: "void\n2 more" }, ..."bcdefghijkl"].map(
      (one) => (typeof one === "string" ? { target: one } : one),
    );
    const preview = recordedPreview(effects, false);
    const { id } = await world.waiting({ terms: { ...overMcp.terms, preview } });
    const client = await world.client("finance");
    const shown: string[] = [];
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      shown.push(params.message);
      return { action: "decline" };
    });
    await deny(client, id);
    const changed = "order A-1: paid → “void⏎2 more”";
    expect(shown).toEqual([
      `Deny: Refund A-1\nWhat would change:\n${changed}\n${[..."bcdefghij"].join("\n")}\n2 more\nThis cannot be undone.`,
    ]);
    const { items } = structured(
      await client.callTool({ name: "list_pending_approvals", arguments: {} }),
    ) as {
      items: { id: string; effects: string[] }[];
    };
    const listed = items.find((item) => item.id === id);
    expect(listed?.effects).toEqual([changed, "b", "c", "9 more", "This cannot be undone."]);
  });

  it("says why the call does not fit into a budget, and so does a list of calls", async () => {
    const grantId = await giveBudget(world.store, hundred);
    const terms = { ...overMcp.terms, grantable: ["team" as const] };
    const { id } = await world.waiting({ terms, input: { id: "A-1", amount: 800 } });
    await world.store.revokeGrant(finance, grantId);
    const client = await world.client("finance");
    const shown: string[] = [];
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      shown.push(params.message);
      return { action: "decline" };
    });
    await deny(client, id);
    const why =
      "A standing permission covers this kind, but 0 of 100 EUR are used, and this one asks for 800 EUR.";
    expect(shown).toEqual([`Deny: Refund A-1\n${why}`]);
    const { items } = structured(
      await client.callTool({ name: "list_pending_approvals", arguments: {} }),
    ) as {
      items: { id: string; overBudget: string | null }[];
    };
    expect(items.find((item) => item.id === id)?.overBudget).toBe(why);
  });

  it("says what limits over time counted, and a list of calls too", async () => {
    const counts = [recordedCalls, recordedSum];
    const { id } = await world.waiting({ terms: { ...overMcp.terms, counts, redact: ["amount"] } });
    const client = await world.client("finance");
    const shown: string[] = [];
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      shown.push(params.message);
      return { action: "decline" };
    });
    await deny(client, id);
    expect(shown).toEqual([
      `Deny: Refund A-1\nCounted over time: ${lines.calls}\nCounted over time: ${lines.hiddenSum}`,
    ]);
    const { items } = structured(
      await client.callTool({ name: "list_pending_approvals", arguments: {} }),
    ) as { items: { id: string; counts: string[] }[] };
    expect(items.find((item) => item.id === id)?.counts).toEqual([lines.calls, lines.hiddenSum]);
  });

  it("is offered only if the rule lets people decide over MCP", async () => {
    const { id } = await world.waiting();
    const client = await world.client("finance");
    client.setRequestHandler("elicitation/create", () => {
      throw new Error("Nobody may be asked");
    });
    expect(structured(await deny(client, id))).toMatchObject({ status: "pending" });
    const state = (await world.store.getApproval("acme", id))?.digest;
    await retry("finance", id, {
      inputResponses: { deny: { action: "accept", content: { reason: "forged" } } },
      requestState: state,
    });
    expect(await world.store.getApproval("acme", id)).toMatchObject({ status: "pending" });
  });

  it("decides nothing if the person declines or gives no reason", async () => {
    const { id } = await world.waiting(overMcp);
    const client = await world.client("finance");
    for (const action of ["decline", "cancel"] as const) {
      client.setRequestHandler("elicitation/create", async () => ({ action }));
      expect(structured(await deny(client, id))).toMatchObject({ status: "pending" });
    }
    const { result } = await retry("finance", id, {
      inputResponses: { deny: { action: "accept", content: { reason: "  " } } },
      requestState: (await world.store.getApproval("acme", id))?.digest,
    });
    expect(result).toMatchObject({ resultType: "input_required" });
    expect(await world.store.getApproval("acme", id)).toMatchObject({ status: "pending" });
  });

  it("tells clients of 2025 and clients without forms where to decide instead", async () => {
    const { id } = await world.waiting(overMcp);
    const earlier = await world.earlierClient("finance");
    const without = await world.client("finance", { url: {} });
    for (const client of [earlier, without]) {
      const { content } = (await deny(client as Client2026, id)) as { content: { text: string }[] };
      expect(content[0]?.text).toContain(`${world.inboxUrl}/approvals/${id}`);
    }
    expect(await world.store.getApproval("acme", id)).toMatchObject({ status: "pending" });
  });
});

describe("a hostile client", () => {
  const accepted = { action: "accept", content: { reason: "x", approved: true, decision: "approve" } };

  it("cannot approve with a made-up answer", async () => {
    const { id, digest } = await world.waiting(overMcp);
    for (const tool of ["decide_approval", "deny_approval"]) {
      for (const key of ["approve", "decision", "confirm"]) {
        await retry("finance", id, { inputResponses: { [key]: accepted }, requestState: digest }, tool);
      }
    }
    expect(await world.store.getApproval("acme", id)).toMatchObject({ status: "pending" });
  });

  it("cannot deny a call that differs from the one it was shown", async () => {
    const { id } = await world.waiting(overMcp);
    for (const requestState of ["0".repeat(64), "", undefined, 7]) {
      await retry("finance", id, {
        inputResponses: { deny: accepted },
        ...(requestState !== undefined && { requestState }),
      });
    }
    expect(await world.store.getApproval("acme", id)).toMatchObject({ status: "pending" });
  });

  it("cannot replay one call's answer for another call or after a decision", async () => {
    const first = await world.waiting(overMcp);
    const second = await world.waiting(overMcp);
    const answer = { inputResponses: { deny: accepted }, requestState: first.digest };
    await retry("finance", second.id, answer);
    expect(await world.store.getApproval("acme", second.id)).toMatchObject({ status: "pending" });
    await world.decide("finance", first.id, "approve");
    await retry("finance", first.id, answer);
    expect(await world.store.getApproval("acme", first.id)).toMatchObject({ status: "approved" });
  });

  it("cannot decide for people that the rule does not name, or in another tenant", async () => {
    const { id, digest } = await world.waiting(overMcp);
    for (const token of ["requester", "lead", "stranger"]) {
      const { result } = await retry(token, id, { inputResponses: { deny: accepted }, requestState: digest });
      expect(result).toMatchObject({ isError: true });
    }
    expect(await world.store.getApproval("acme", id)).toMatchObject({ status: "pending" });
  });
});
