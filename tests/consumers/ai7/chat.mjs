// The chat of `ai` 7 asks for a refund, approves it, denies it, and goes on after a reload.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { AbstractChat, DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";
import { refunds, startShop } from "./server.mjs";

/** What `useChat` keeps in React's state. */
const plainState = () => ({
  status: "ready",
  error: undefined,
  messages: [],
  pushMessage(message) {
    this.messages = [...this.messages, message];
  },
  popMessage() {
    this.messages = this.messages.slice(0, -1);
  },
  replaceMessage(index, message) {
    this.messages = this.messages.map((one, place) => (place === index ? structuredClone(message) : one));
  },
  snapshot: (value) => structuredClone(value),
});

class PlainChat extends AbstractChat {
  constructor(init) {
    super({ ...init, state: plainState() });
  }
  part(state) {
    return this.lastMessage?.parts.find((part) => part.type === "tool-refund" && part.state === state);
  }
  text() {
    return this.lastMessage?.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  }
}

/** A condition, within a minute. */
async function until(look, what) {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    const found = look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${what} did not come about: ${JSON.stringify(errors.map(String))}`);
}

const errors = [];
const shop = await startShop();
const open = (id = randomUUID()) =>
  new PlainChat({
    id,
    transport: new DefaultChatTransport({ api: shop.api }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    onError: (error) => errors.push(error),
  });

async function ask(chat) {
  await chat.sendMessage({ text: "Refund A-1001" });
  return until(() => chat.part("approval-requested"), "the request for approval");
}

assert.ok(Number.parseInt(process.versions.node, 10) >= 22, `Node ${process.versions.node}`);
const approving = open();
const asked = await ask(approving);
assert.match(asked.approval.descriptor.digest, /^[0-9a-f]{64}$/);
await approving.addToolApprovalResponse({ id: asked.approval.id, approved: true });
await until(() => approving.text() === "It is refunded.", "the text after the refund");
assert.deepEqual(refunds, ["A-1001"]);
assert.equal(approving.messages.length, 2);

const denying = open();
const second = await ask(denying);
await denying.addToolApprovalResponse({ id: second.approval.id, approved: false, reason: "No receipt" });
await until(() => denying.part("output-denied"), "the denied call");
await until(() => denying.text() === "It was denied.", "the text after the denial");
assert.deepEqual(refunds, ["A-1001"]);

const before = open();
const third = await ask(before);
const after = open(before.id);
await after.resumeStream();
const again = await until(() => after.part("approval-requested"), "the request after a reload");
assert.equal(again.approval.id, third.approval.id);
await after.addToolApprovalResponse({ id: again.approval.id, approved: true });
await until(() => after.text() === "It is refunded.", "the text after the reload");
assert.deepEqual(refunds, ["A-1001", "A-1001"]);
assert.deepEqual(errors, []);
await shop.stop();
console.log("The chat did what it should.");
