import { randomUUID } from "node:crypto";
import { withUndo } from "countersign";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noChromium } from "../support/browser/chromium.mjs";
import { openUseAgentSite, type UseAgentSite } from "../support/chat/use-agent-site.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { eventually } from "../support/harness.js";
import { launchForTests } from "../support/inbox/describe-in-browser.js";
import { policyOf } from "../support/policy-of.js";

const email = (to: string) => ({ name: "email", input: { to, text: "Hi" } });
const refund = { name: "refund", input: { id: "A-1", amount: 80 } };

function openSite(...calls: { name: string; input: object }[]) {
  const { tools, effects } = deskTools();
  const reply = inTurns({ text: "I will do it.", toolCalls: calls }, { text: "All done." });
  return { effects, opening: openUseAgentSite({ tools, reply }) };
}

describe.skipIf(noChromium !== undefined)("useAgents of @inngest/use-agent", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchForTests();
  });
  afterAll(() => browser?.close());

  /** Opens a connected chat, by default in a thread of its own. */
  async function chatOf(
    site: UseAgentSite,
    {
      thread = randomUUID(),
      as = "requester",
      helper = "yes",
    }: { thread?: string; as?: string; helper?: string } = {},
  ) {
    const context = await browser.newContext();
    context.setDefaultTimeout(180_000);
    await site.connect(context);
    const page = await context.newPage();
    await page.goto(`${site.url}/?${new URLSearchParams({ as, thread, helper, say: "Do it" })}`);
    if (as === "requester")
      await eventually(() => site.isConnected() || undefined, "the realtime connection");
    return {
      page,
      thread,
      send: () => page.getByRole("button", { name: "Send" }).click(),
      call: (name: string) => page.getByRole("article", { name }),
      answer: (text: string) => page.getByRole("region", { name: "assistant" }).getByText(text),
      [Symbol.asyncDispose]: () => context.close(),
    };
  }

  it("follows a call that somebody else decides, and never offers to decide it", async () => {
    const { opening, effects } = openSite(refund);
    await using site = await opening;
    await using chat = await chatOf(site);
    await chat.send();
    await chat.call("refund").getByText("pending", { exact: true }).waitFor();
    await chat.call("refund").getByText("input-available").waitFor();
    expect(await chat.call("refund").getByRole("button").count()).toBe(0);
    await site.harness.decide(await site.harness.onlyPending(), "approve");
    await chat.call("refund").getByText("finance", { exact: true }).waitFor();
    await chat.answer("All done.").waitFor();
    expect(effects).toMatchObject([{ tool: "refund" }]);
  });

  it("shows a pending call, again in a new browser, which approves it, and its outcome in another", async () => {
    const { opening, effects } = openSite(email("ada"));
    await using site = await opening;
    const thread = randomUUID();
    {
      await using before = await chatOf(site, { thread });
      await before.send();
      await before.call("email").getByText("awaiting-approval").waitFor();
      expect(effects).toEqual([]);
    }
    {
      await using after = await chatOf(site, { thread });
      await after.page.getByRole("region", { name: "user" }).getByText("Do it").waitFor();
      await after.call("email").getByRole("button", { name: "Approve" }).click();
      await after.answer("All done.").waitFor();
      await after.call("email").getByText("output-available").waitFor();
      expect(await after.call("email").count()).toBe(1);
    }
    await using later = await chatOf(site, { thread });
    await later.answer("All done.").waitFor();
    await later.call("email").getByText("executed", { exact: true }).waitFor();
    expect(await later.page.getByRole("region").count()).toBe(4);
    await later.page.getByRole("list", { name: "Threads" }).getByText("Do it").waitFor();
    expect(effects).toMatchObject([{ tool: "email", input: { to: "ada" } }]);
  });

  it("denies a call with a reason, and keeps it apart from another in the same answer", async () => {
    const { opening, effects } = openSite(email("ada"), email("bob"));
    await using site = await opening;
    await using chat = await chatOf(site);
    await chat.send();
    const to = (name: string) => chat.call("email").filter({ hasText: `"to":"${name}"` });
    await to("ada").getByRole("button", { name: "Deny" }).click();
    await to("bob").getByRole("button", { name: "Approve" }).click();
    await chat.answer("All done.").waitFor();
    await to("ada").getByText("No receipt").waitFor();
    await to("ada").getByText("denied", { exact: true }).waitFor();
    await to("bob").getByText('{"data":{"ok":true}}').waitFor();
    expect(effects).toMatchObject([{ input: { to: "bob" } }]);
  });

  it("answers a question of the agent", async () => {
    const question = { message: "Which carrier?", choices: ["DHL", "UPS"] };
    const { opening } = openSite({ name: "request_human_input", input: question });
    await using site = await opening;
    await using chat = await chatOf(site);
    await chat.send();
    await chat.call("request_human_input").getByRole("button", { name: "DHL" }).click();
    await chat.answer("All done.").waitFor();
    await chat.call("request_human_input").getByText("responded", { exact: true }).waitFor();
  });

  it("undoes a call that has run, and shows that it was undone", async () => {
    const { tools } = deskTools();
    const undone: unknown[] = [];
    const undoable = tools.map((tool) =>
      tool.name === "email" ? withUndo(tool, (input) => undone.push(input)) : tool,
    );
    const rules = [
      { tools: "email", verdict: "ask", reversible: "10m" },
      { tools: "email.undo", verdict: "ask" },
    ];
    const reply = inTurns({ toolCalls: [email("ada")] }, { text: "All done." });
    await using site = await openUseAgentSite({
      ...{ tools: undoable, reply, policy: policyOf(rules) },
      countersign: { undoable: undoable.filter(({ name }) => name === "email") },
    });
    await using chat = await chatOf(site);
    await chat.send();
    await chat.call("email").getByRole("button", { name: "Approve" }).click();
    await chat.answer("All done.").waitFor();
    // The undo is a call of its own, named "email.undo".
    const call = chat.page.getByRole("article", { name: "email", exact: true });
    await call.getByRole("button", { name: "Undo" }).click();
    await call.getByText("undone", { exact: true }).waitFor();
    expect(undone).toEqual([{ to: "ada", text: "Hi" }]);
    expect(await call.getByRole("button", { name: "Undo" }).count()).toBe(0);
    // The result stays as it was.
    await call.getByText("output-available").waitFor();
  });

  it("shows and decides a call without the helper if the host needs no digest", async () => {
    const { tools, effects } = deskTools();
    const reply = inTurns({ toolCalls: [email("ada")] }, { text: "All done." });
    await using site = await openUseAgentSite({ tools, reply }, { approveWithoutDigest: true });
    await using chat = await chatOf(site, { helper: "no" });
    await chat.send();
    await chat.call("email").getByText("input-available").waitFor();
    await site.harness.onlyPending();
    await chat.call("email").getByRole("button", { name: "Approve" }).click();
    await chat.answer("All done.").waitFor();
    expect(effects).toHaveLength(1);
  });

  it("decides nothing for others, for forged ids, or without a digest", async () => {
    const { opening } = openSite(email("ada"));
    await using site = await opening;
    await using chat = await chatOf(site, { helper: "no" });
    await chat.send();
    const approval = await site.harness.onlyPending();
    // Without the helper, the hook sends no digest.
    await chat.call("email").getByRole("button", { name: "Approve" }).click();
    await chat.page.getByRole("alert").getByText("approveWithoutDigest").waitFor();
    const { toolCallId, digest } = approval;
    const decide = async (person: string, body: object) =>
      (
        await site.request(person, "/approve-tool", {
          method: "POST",
          body: JSON.stringify({ toolCallId, threadId: chat.thread, action: "approve", digest, ...body }),
        })
      ).status;
    expect(await decide("stranger", {})).toBe(404);
    expect(await decide("nobody", {})).toBe(401);
    expect(await decide("requester", { toolCallId: "tool_forged" })).toBe(404);
    expect(await decide("requester", { threadId: randomUUID() })).toBe(404);
    expect(await decide("requester", { digest: "0".repeat(64) })).toBe(409);
    expect((await site.harness.approval(approval.id)).status).toBe("pending");

    // Another person can neither read this thread, write into it, nor get a token for its channel.
    const send = { threadId: chat.thread, userId: "requester", userMessage: { id: "m", content: "Hello" } };
    for (const [path, body] of [
      ["/chat", send],
      ["/chat/cancel", { threadId: chat.thread }],
      ["/realtime/token", { threadId: chat.thread, userId: "requester", channelKey: "requester" }],
    ] as const) {
      const { status } = await site.request("auditor", path, { method: "POST", body: JSON.stringify(body) });
      expect([path, status]).toEqual([path, 404]);
    }
    expect((await site.request("stranger", `/threads/${chat.thread}`)).status).toBe(404);
    expect(await (await site.request("auditor", "/threads")).json()).toMatchObject({ threads: [], total: 0 });
  });
});
