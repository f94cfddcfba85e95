import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listenOn } from "../support/http/listen-on.js";
import { call } from "../support/mcp-server/agent-requests.js";
import { type McpWorld, openMcpWorld, structured } from "../support/mcp-server/mcp-world.js";

let world: McpWorld;
beforeAll(async () => {
  world = await openMcpWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

describe.each([
  ["2026", (token: string) => world.client(token)],
  ["2025", (token: string) => world.earlierClient(token)],
] as const)("a client of the protocol of %s", (_, connect) => {
  it("lists and reads pending approvals exactly as the API shows them", async () => {
    const { id } = await world.waiting({ terms: { redact: ["amount"] } });
    const client = await connect("finance");
    const { items } = structured(await call(client, "list_pending_approvals")) as {
      items: { id: string }[];
    };
    const listed = items.find((item) => item.id === id);
    const fromApi = await world.show("finance", id);
    const { context, earlier, history, serverTime, ...asInLists } = fromApi;
    const url = `${world.inboxUrl}/approvals/${id}`;
    const whole = { ...asInLists, url, flagged: false, failedChecks: [], effects: [] };
    expect(whole).toMatchObject(listed ?? {});
    expect(Object.keys(listed ?? {})).toEqual(expect.arrayContaining(["summary", "risk", "yourDecisions"]));
    const shown = structured(await call(client, "get_approval", { approvalId: id }));
    expect(shown).toEqual({ ...asInLists, url });
    expect(JSON.stringify([listed, shown])).not.toContain('"amount":80');
    const conversation = structured(await call(client, "get_conversation", { approvalId: id }));
    expect(conversation).toEqual({ approvalId: id, modelText: null, messages: [] });
    await world.decide("finance", id, "deny");
  });

  it("reads the model's text beside a call without what the thread's calls redact", async () => {
    const threadId = randomUUID();
    const earlier = await world.waiting({
      ...{ threadId, input: { iban: "DE89 3704" } },
      terms: { redact: ["iban"] },
    });
    const { id } = await world.waiting({ threadId, modelText: "I changed it to DE89 3704, and refund it." });
    const client = await connect("finance");
    const conversation = structured(await call(client, "get_conversation", { approvalId: id }));
    expect(conversation.modelText).toBe("I changed it to [hidden], and refund it.");
    const { context } = await world.show("finance", id);
    expect(context).toMatchObject({ modelText: conversation.modelText });
    for (const one of [earlier.id, id]) await world.decide("finance", one, "deny");
  });

  it("sees no approval of another tenant or that its principal may not see", async () => {
    const { id } = await world.waiting();
    for (const token of ["stranger", "lead"]) {
      const client = await connect(token);
      expect(structured(await call(client, "list_pending_approvals"))).toMatchObject({ items: [] });
      for (const tool of ["get_approval", "get_conversation", "decide_approval", "deny_approval"]) {
        expect(await call(client, tool, { approvalId: id })).toMatchObject({
          isError: true,
          structuredContent: { error: { code: "not_found" } },
        });
      }
      const { resources } = await client.listResources();
      expect(resources).toEqual([]);
      await expect(client.readResource({ uri: `countersign://approvals/${id}` })).rejects.toThrow(
        /not found/i,
      );
    }
    await world.decide("finance", id, "deny");
  });

  it("reads approvals as resources", async () => {
    const { id } = await world.waiting();
    const client = await connect("finance");
    const uri = `countersign://approvals/${id}`;
    expect((await client.listResources()).resources).toContainEqual(expect.objectContaining({ uri }));
    const { contents } = await client.readResource({ uri });
    expect(contents).toMatchObject([{ uri, mimeType: "application/json" }]);
    expect(contents[0]).toHaveProperty("text", expect.stringContaining(id));
    await world.decide("finance", id, "deny");
  });
});

describe("decide_approval", () => {
  it("opens the inbox, and returns the decision to a client of 2026", async () => {
    const { id } = await world.waiting();
    const client = await world.client("finance");
    const opened: unknown[] = [];
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      opened.push(params);
      // The person signs in to the inbox and decides there.
      expect((await world.decide("finance", id, "approve")).status).toBe(200);
      return { action: "accept" };
    });
    const result = structured(await call(client, "decide_approval", { approvalId: id }));
    expect(opened).toEqual([
      expect.objectContaining({ mode: "url", url: `${world.inboxUrl}/approvals/${id}` }),
    ]);
    expect(result).toMatchObject({ id, status: "approved", decision: { decidedBy: "finance" } });
  });

  it("waits for the decision after the page was opened", async () => {
    const { id } = await world.waiting();
    const client = await world.client("finance");
    client.setRequestHandler("elicitation/create", async () => ({ action: "accept" }));
    const asked = call(client, "decide_approval", { approvalId: id });
    await world.decide("finance", id, "deny");
    expect(structured(await asked)).toMatchObject({ id, status: "denied" });
  });

  it("treats no answer of the client as a decision", async () => {
    await using patient = await openMcpWorld({ server: { decisionWaitMs: 0 } });
    const { id } = await patient.waiting();
    const client = await patient.client("finance");
    for (const answer of [
      { action: "accept" as const },
      { action: "accept" as const, content: { approved: true, decision: "approve" } },
      { action: "decline" as const },
      { action: "cancel" as const },
    ]) {
      client.setRequestHandler("elicitation/create", async () => answer);
      expect(structured(await call(client, "decide_approval", { approvalId: id }))).toMatchObject({
        status: "pending",
      });
    }
    expect(await patient.store.getApproval("acme", id)).toMatchObject({ status: "pending", decision: null });
  });

  it("asks a client of 2025 to open the inbox, and notifies it when the call is decided", async () => {
    const { id } = await world.waiting();
    const client = await world.earlierClient("finance");
    const url = `${world.inboxUrl}/approvals/${id}`;
    const completed = new Promise((resolve) => {
      client.fallbackNotificationHandler = async ({ method, params }) => {
        if (method === "notifications/elicitation/complete") resolve(params);
      };
    });
    await expect(call(client, "decide_approval", { approvalId: id })).rejects.toMatchObject({
      code: -32042,
      data: { elicitations: [{ mode: "url", url, elicitationId: id }] },
    });
    await world.decide("finance", id, "approve");
    expect(await completed).toMatchObject({ elicitationId: id });
    expect(structured(await call(client, "decide_approval", { approvalId: id }))).toMatchObject({
      status: "approved",
    });
  });

  it("works for a client of 2025 whichever process it reaches", async () => {
    const { id } = await world.waiting();
    await using second = await openMcpWorld({ database: world.database });
    let requests = 0;
    const front = await listenOn((request) => (requests++ % 2 === 0 ? world : second).mcp.fetch(request));
    const client = await world.earlierClient("finance", { url: {} }, new URL(`${front.url}/api/mcp`));
    for (const _ of [1, 2]) {
      await expect(call(client, "decide_approval", { approvalId: id })).rejects.toMatchObject({
        code: -32042,
      });
    }
    await world.decide("finance", id, "deny");
    for (const _ of [1, 2]) {
      const result = structured(await call(client, "get_approval", { approvalId: id }));
      expect(result).toMatchObject({ status: "denied" });
    }
    await client.close();
    front.close();
  });

  it("gives the inbox URL as text to a client that cannot open pages", async () => {
    const { id } = await world.waiting();
    for (const client of [await world.client("finance", null), await world.earlierClient("finance", null)]) {
      const { content } = (await call(client, "decide_approval", { approvalId: id })) as {
        content: { text: string }[];
      };
      expect(content[0]?.text).toContain(`${world.inboxUrl}/approvals/${id}`);
    }
    expect(await world.store.getApproval("acme", id)).toMatchObject({ status: "pending" });
  });
});
