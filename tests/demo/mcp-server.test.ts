import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type DemoApproval, type DemoWorld, openDemo } from "../support/demo/demo-in-process.js";
import { structured } from "../support/mcp-server/mcp-world.js";

let demo: DemoWorld;
beforeAll(async () => {
  demo = await openDemo();
});
afterAll(() => demo[Symbol.asyncDispose]());

async function clientOf(token: string) {
  const client = new Client(
    { name: "desk", version: "1" },
    { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode: "auto" } },
  );
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${demo.api}/mcp`), { requestInit: { headers } }),
  );
  return client;
}

it("finance sees the agent's refund in an MCP client, and approves it in the inbox that the client opens", async () => {
  const threadId = await demo.say("Please refund order A-1001");
  const waiting = await demo.waiting(threadId);
  const client = await clientOf("demo-finance");
  const { items } = structured(await client.callTool({ name: "list_pending_approvals", arguments: {} }));
  expect(items).toMatchObject([{ id: waiting.id, toolName: "issue_refund" }]);
  const approvalId = waiting.id;
  const conversation = await client.callTool({ name: "get_conversation", arguments: { approvalId } });
  expect(JSON.stringify(structured(conversation).messages)).toContain("Please refund order A-1001");

  client.setRequestHandler("elicitation/create", async ({ params }) => {
    expect(params).toMatchObject({ mode: "url", url: expect.stringMatching(/\/inbox\/approvals\//) });
    await demo.decide("finance", waiting, { type: "approve" });
    return { action: "accept" };
  });
  const decided = await client.callTool({ name: "decide_approval", arguments: { approvalId } });
  expect(structured(decided)).toMatchObject({ decision: { type: "approve", decidedBy: "finance" } });
  expect(await demo.lastWords(threadId)).toContain("A-1001");
  await client.close();
});

it("another agent requests approval of a refund over MCP, and can use it once", async () => {
  const client = await clientOf("demo-requester");
  const refund = { tool: "issue_refund", arguments: { orderId: "A-1002", customerId: "C-1", amount: 20 } };
  const requested = structured(await client.callTool({ name: "request_approval", arguments: refund }));
  expect(requested).toMatchObject({ status: "pending" });
  const approval = (await demo.approval("finance", String(requested.approvalId))) as DemoApproval;
  expect(approval).toMatchObject({ summary: "Refund 20 EUR for order A-1002", requesterId: "requester" });
  await demo.decide("finance", approval, { type: "approve" });
  const use = { name: "use_approval", arguments: { approvalId: approval.id, ...refund } };
  expect(structured(await client.callTool(use))).toMatchObject({ go: true });
  expect(structured(await client.callTool(use))).toMatchObject({ go: false, status: "used" });
  await client.close();
});
