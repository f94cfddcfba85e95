import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { createDemo, type Demo, readConfig } from "./app.js";

let demo: Demo;

async function call(
  path: string,
  { token = "demo-requester", body }: { token?: string; body?: unknown } = {},
) {
  const response = await fetch(`http://127.0.0.1:${demo.port}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const chatAnswer = z.object({ threadId: z.string(), runId: z.string() });
const approvals = z.object({
  items: z.array(
    z.looseObject({ id: z.string(), digest: z.string(), toolName: z.string(), threadId: z.string() }),
  ),
});

async function say(message: string) {
  const { status, body } = await call("/api/chat", { body: { message } });
  expect(status).toBe(202);
  return chatAnswer.parse(body);
}

async function pendingOf(threadId: string, count: number) {
  return vi.waitFor(
    async () => {
      const { body } = await call("/api/approvals?status=pending", { token: "demo-finance" });
      const items = approvals.parse(body).items.filter((item) => item.threadId === threadId);
      expect(items).toHaveLength(count);
      return items;
    },
    { timeout: 60_000, interval: 50 },
  );
}

async function decide(approval: { id: string; digest: string }, type: "approve" | "deny") {
  const path = `/api/approvals/${approval.id}/decision`;
  const { status } = await call(path, { token: "demo-finance", body: { type, digest: approval.digest } });
  expect(status).toBe(200);
}

const lastWords = (threadId: string) =>
  vi.waitFor(
    async () => {
      const { body } = await call(`/api/threads/${threadId}`);
      expect(body.status).toBe("done");
      return JSON.stringify(body.messages.at(-1));
    },
    { timeout: 60_000, interval: 50 },
  );

describe.each(["openai", "anthropic"])("the demo in %s format", (format) => {
  beforeAll(async () => {
    demo = await createDemo(readConfig({ PORT: "0", DATA_DIR: "memory://", DEMO_MODEL_FORMAT: format }));
    await demo.start();
  });
  afterAll(() => demo.stop());

  it("refunds after an approval, and answers the next message of the thread", async () => {
    const { threadId } = await say("Please refund order A-1001");
    const [approval] = await pendingOf(threadId, 1);
    expect(approval).toMatchObject({ toolName: "issue_refund", input: { orderId: "A-1001", amount: 49.9 } });
    if (approval) await decide(approval, "approve");
    expect(await lastWords(threadId)).toContain("Order A-1001 is refunded: 49.90 EUR.");
    const { body } = await call("/api/demo/effects");
    expect(body.items).toMatchObject([
      { toolName: "issue_refund", input: { orderId: "A-1001", amount: 49.9 } },
    ]);

    const again = await call("/api/chat", { body: { message: "Look up order A-1003", threadId } });
    expect(again.status).toBe(202);
    await vi.waitFor(
      async () => expect(await lastWords(threadId)).toContain("Order A-1003 of customer C-2"),
      60_000,
    );
  });

  it("decides two refunds and an email of one answer separately, and reports the denial", async () => {
    const { threadId } = await say("Refund A-1001 and A-1002 and tell the customer");
    const [first, second, email] = await pendingOf(threadId, 3);
    if (!first || !second || !email) throw new Error("unreachable");
    await decide(email, "approve");
    await decide(first, "approve");
    await decide(second, "deny");
    const words = await lastWords(threadId);
    expect(words.match(/was not carried out: a person denied it/g)).toHaveLength(1);
    expect(words).toContain("The email to customer-1@example.com is done.");
  });

  it("says that the policy forbids deleting a customer", async () => {
    const { threadId } = await say("Delete customer C-7");
    expect(await lastWords(threadId)).toContain("the policy does not allow it");
  });

  it("sends the model only requests that it accepts", () => {
    expect(
      demo.scripted.requests.filter((request) => request.status !== 200 || request.format !== format),
    ).toEqual([]);
  });

  it("answers 404 to a message in somebody else's thread", async () => {
    const { threadId } = await say("Hello");
    const { status } = await call("/api/chat", { token: "demo-lead", body: { message: "Hello", threadId } });
    expect(status).toBe(404);
  });
});
