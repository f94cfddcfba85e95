import { randomUUID } from "node:crypto";
import { type ChatApproval, uiMessages } from "@countersign/chat/ai-sdk";
import { onDecidedElsewhere } from "@countersign/chat/ai-sdk/client";
import type { UIMessage } from "ai-6";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, newThread, say, serveChats, tenantId } from "../support/chat/chat-server.js";
import { headlessChat } from "../support/chat/headless-chat.js";
import { freshPostgres } from "../support/databases.js";
import { type DemoWorld, openDemo } from "../support/demo/demo-in-process.js";
import { figure } from "../support/figure.js";
import { eventually } from "../support/harness.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore, type Store } from "../support/store.js";

type Messages = UIMessage<unknown, { countersign: ChatApproval }>[];

const stored = async (demo: DemoWorld, who: string, id: string): Promise<Messages> =>
  (await demo.call(who, `/ai/chat/${id}`)).body;

const open = (demo: DemoWorld, who: string, id: string, messages: UIMessage[] = []) =>
  headlessChat({ api: `${demo.api}/ai/chat`, token: `demo-${who}`, id, messages });

/** Asks for a refund as finance, who may decide it. */
async function askForRefund(chat: ReturnType<typeof open>, order: string): Promise<string> {
  await chat.chat.sendMessage({ text: `Please refund order ${order}` });
  return (await chat.toolIn("approval-requested"))?.approval?.id ?? "";
}

const watch = (demo: DemoWorld, { chat }: ReturnType<typeof open>, onDecided: () => void) =>
  onDecidedElsewhere(
    {
      api: `${demo.api}/ai/chat`,
      id: chat.id,
      messages: chat.messages,
      request: { headers: { authorization: "Bearer demo-finance" } },
    },
    onDecided,
  );

describe("the initial messages of a chat", () => {
  it("hold the decided calls of all turns, as its streams sent them", async () => {
    await using demo = await openDemo();
    const id = randomUUID();
    const live = open(demo, "finance", id);
    const approved = await askForRefund(live, "A-1001");
    await live.chat.addToolApprovalResponse({ id: approved, approved: true, reason: "Fine" });
    await live.toolIn("output-available");
    await live.ready();
    const denied = await askForRefund(live, "A-1002");
    await live.chat.addToolApprovalResponse({ id: denied, approved: false, reason: "No receipt" });
    await live.toolIn("output-denied");
    await live.ready();

    const messages = await stored(demo, "finance", id);
    const call = (message: UIMessage | undefined) =>
      message?.parts.find(({ type }) => type === "tool-issue_refund");
    const card = (message: UIMessage | undefined) =>
      message?.parts.find(({ type }) => type === "data-countersign");
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(call(messages[1])).toMatchObject({
      state: "output-available",
      input: { orderId: "A-1001" },
      approval: { id: approved, approved: true, reason: "Fine" },
    });
    expect(card(messages[1])).toMatchObject({ data: { status: "executed", decidedBy: "finance" } });
    expect(call(messages[3])).toMatchObject({
      state: "output-denied",
      approval: { id: denied, approved: false, reason: "No receipt" },
    });
    expect(card(messages[3])).toMatchObject({ data: { status: "denied", reason: "No receipt" } });

    // The stream of the last turn replaces its message, and changes nothing in it.
    const reloaded = open(demo, "finance", id, messages);
    await reloaded.chat.resumeStream();
    expect(reloaded.errors).toEqual([]);
    const withoutVerdicts = ({ id, parts }: UIMessage) => ({
      id,
      parts: parts.map((part) => ({ ...part, approval: undefined })),
    });
    expect(reloaded.chat.messages.map(withoutVerdicts)).toEqual(messages.map(withoutVerdicts));
    expect(reloaded.posted).toEqual([]);
  });

  it("leave a turn that is not over to its stream, which offers the call for decision", async () => {
    await using demo = await openDemo();
    const id = randomUUID();
    const approvalId = await askForRefund(open(demo, "finance", id), "A-1001");

    const messages = await stored(demo, "finance", id);
    expect(messages.map(({ role }) => role)).toEqual(["user"]);
    const reloaded = open(demo, "finance", id, messages);
    await reloaded.chat.resumeStream();
    expect(await reloaded.toolIn("approval-requested")).toMatchObject({
      approval: { id: approvalId, descriptor: { digest: expect.any(String) } },
    });
    expect(reloaded.chat.messages).toHaveLength(2);
    await reloaded.chat.addToolApprovalResponse({ id: approvalId, approved: true });
    await reloaded.toolIn("output-available");
    await reloaded.ready();
    expect(await demo.effectsOf(approvalId)).toHaveLength(1);
  });

  it("lack a response that came after them, and the stream of the ended turn adds it", async () => {
    await using demo = await openDemo();
    const id = randomUUID();
    const approvalId = await askForRefund(open(demo, "finance", id), "A-1001");
    const before = await stored(demo, "finance", id);
    const approval = await demo.approval("finance", approvalId);
    await demo.decide("lead", approval, { type: "approve" });
    await eventually(
      async () => (await demo.call("finance", `/threads/${id}`)).body.status === "done" || undefined,
      "the turn to end",
    );

    const reloaded = open(demo, "finance", id, before);
    await reloaded.chat.resumeStream();
    expect(reloaded.chat.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(reloaded.text()).toContain("A-1001");
    expect(reloaded.cards()).toMatchObject([{ data: { status: "executed", decidedBy: "lead" } }]);
  });
});

describe("a chat whose call is decided in the inbox", () => {
  it("shows the decision without a reload", async () => {
    await using demo = await openDemo();
    const session = open(demo, "finance", randomUUID());
    const approvalId = await askForRefund(session, "A-1001");
    const stop = watch(demo, session, () => void session.chat.resumeStream());

    const approval = await demo.approval("finance", approvalId);
    await demo.decide("lead", approval, { type: "deny", reason: "Too late" });
    await session.toolIn("output-denied");
    await session.ready();
    expect(session.cards()).toMatchObject([{ data: { status: "denied", decidedBy: "lead" } }]);
    expect(session.chat.messages).toHaveLength(2);
    expect(session.toolParts().filter(({ state }) => state === "approval-requested")).toEqual([]);
    stop();
  });

  it("learns of a decision that came before it watched, and of none for a call that is no longer shown", async () => {
    await using demo = await openDemo();
    const session = open(demo, "finance", randomUUID());
    const approvalId = await askForRefund(session, "A-1001");
    await demo.decide("lead", await demo.approval("finance", approvalId), { type: "approve" });
    const isDecided = new Promise<void>((resolve) => void watch(demo, session, resolve));
    await isDecided;
    await session.chat.resumeStream();
    await session.toolIn("output-available");
    watch(demo, session, () => expect.unreachable("Nothing waits any longer"))();
  });
});

describe("the initial messages of a thread", () => {
  let database: Awaited<ReturnType<typeof freshPostgres>>;
  let store: Store;
  beforeAll(async () => {
    database = await freshPostgres();
    store = postgresStore({ client: database.postgres });
    await store.migrate();
  });
  afterAll(async () => {
    await store.close();
    await database[Symbol.asyncDispose]();
  });

  const finance = { id: "fay", tenantId, roles: ["finance"] };
  const ada = { id: "ada", tenantId, roles: [] };

  async function threadWithIban() {
    const threadId = await newThread(store, "ada");
    const approvers = { roles: ["finance"], ids: [] };
    const input = { iban: "DE89 3704" };
    await proposeCall(store, { threadId, requesterId: "ada", approvers, input, terms: { redact: ["iban"] } });
    await say(store, threadId, "Her account is DE89 3704.");
    await ask(store, threadId, "second", "Thanks");
    return threadId;
  }

  it("are redacted for everybody without a full view", async () => {
    await using server = await serveChats(store, { fullViewRoles: ["legal"] });
    const { countersign } = server;
    const threadId = await threadWithIban();
    for (const reader of [ada, finance]) {
      const text = JSON.stringify(
        await uiMessages(countersign, threadId, reader, { fullViewRoles: ["legal"] }),
      );
      expect(text).toContain("Her account is [hidden].");
      expect(text).not.toMatch(figure("3704"));
    }
    const legal = { ...ada, roles: ["legal"] };
    const all = JSON.stringify(await uiMessages(countersign, threadId, legal, { fullViewRoles: ["legal"] }));
    expect(all).toContain("Her account is DE89 3704.");
  });

  it("are empty for people who may not read the thread, in the function and over HTTP", async () => {
    await using server = await serveChats(store);
    const { countersign } = server;
    const threadId = await threadWithIban();
    for (const stranger of [
      { ...finance, roles: ["sales"] },
      { ...ada, tenantId: "other" },
    ]) {
      expect(await uiMessages(countersign, threadId, stranger)).toEqual([]);
    }
    const get = async (person: string, path: string) =>
      fetch(`${server.url}/${threadId}${path}`, { headers: { authorization: person } });
    expect(await (await get("bob", "")).json()).toEqual([]);
    expect((await get("bob", "/decided?approval=apr_x")).status).toBe(204);
    expect((await get("bob", "/decided?undoable=apr_x")).status).toBe(204);
    expect((await get("ada", "/decided")).status).toBe(400);
    expect(await (await get("ada", "")).json()).toHaveLength(3);
  });

  it("offer no call of an earlier turn for decision", async () => {
    await using server = await serveChats(store);
    const { countersign } = server;
    const threadId = await newThread(store, "ada");
    const approvers = { roles: ["finance"], ids: [] };
    const [call] = await proposeCall(store, { threadId, requesterId: "ada", approvers });
    const states = async () => {
      const messages: Messages = await uiMessages(countersign, threadId, finance);
      return messages.flatMap(({ parts }) =>
        parts.flatMap((part) =>
          part.type === "data-countersign"
            ? { decidableHere: part.data.decidableHere, mayDecide: part.data.mayDecide }
            : "toolCallId" in part
              ? part.state
              : [],
        ),
      );
    };
    expect(call?.status).toBe("pending");
    expect(await states()).toEqual([]);
    await ask(store, threadId, "second", "And now?");
    expect(await states()).toEqual([{ decidableHere: false, mayDecide: true }]);
  });
});
