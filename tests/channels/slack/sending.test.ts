import { expect, it } from "vitest";
import type { Fault } from "../../support/slack/fake-slack.js";
import { buttonsIn, textsIn } from "../../support/slack/people.js";
import { cardOf, closedCard, referenceOf, slackDesk } from "./slack-desk.js";

it("a card is posted once and then updated in place", async () => {
  const { send, slack, finance } = await slackDesk();
  const first = referenceOf(await send(cardOf()));
  const [message] = slack.workspace.messages;
  expect(first).toMatchObject({ channel: finance.id, ts: message?.ts, version: 1 });
  const second = referenceOf(await send(closedCard("Approved by finance-anna"), { reference: first }));
  expect(second).toMatchObject({ channel: finance.id, ts: message?.ts, version: 9 });
  expect(slack.workspace.messages).toHaveLength(1);
  expect(textsIn(message?.blocks ?? [])).toContain(
    "✅ Refund €129.90 to ada@example.com · Approved by finance-anna",
  );
  expect(message?.metadata?.event_payload).toEqual({ delivery_id: "dlv_1", version: 9 });
});

it("a delivery that is sent twice leaves one unchanged message", async () => {
  const { send, slack } = await slackDesk();
  const reference = referenceOf(await send(cardOf()));
  const before = structuredClone(slack.workspace.messages[0]);
  expect(referenceOf(await send(cardOf(), { reference, attempts: 1 }))).toEqual(reference);
  expect(slack.workspace.messages).toMatchObject([{ ts: before?.ts, blocks: before?.blocks }]);
});

it("an older card never replaces a newer one", async () => {
  const { send, slack } = await slackDesk();
  const newer = referenceOf(await send(closedCard("Approved by finance-anna")));
  const calls = slack.calls.length;
  expect(referenceOf(await send(cardOf(), { reference: newer }))).toEqual(newer);
  expect(slack.calls).toHaveLength(calls);
});

it("a deleted message is posted again only while the call is open", async () => {
  const { send, slack } = await slackDesk();
  const lost = referenceOf(await send(cardOf()));
  slack.workspace.messages.length = 0;
  const again = referenceOf(await send(cardOf({ version: 2 }), { reference: lost }));
  expect(again).not.toMatchObject({ ts: lost?.ts });
  expect(slack.workspace.messages).toMatchObject([{ ts: again?.ts }]);
  slack.workspace.messages.length = 0;
  expect(referenceOf(await send(closedCard("Denied"), { reference: again }))).toEqual(again);
  expect(slack.workspace.messages).toEqual([]);
});

it("closing a message that the app may no longer change fails permanently", async () => {
  const { send, slack } = await slackDesk();
  const reference = referenceOf(await send(cardOf()));
  slack.fail("chat.update", { error: "cant_update_message" });
  const sent = await send(closedCard("Denied"), { reference });
  expect(sent).toMatchObject({ ok: false, permanent: true });
  expect(sent).toHaveProperty("error", expect.stringContaining("cannot be updated"));
});

it("a rate limit delays the next attempt by Slack's Retry-After, without an immediate retry", async () => {
  const { send, slack } = await slackDesk();
  slack.fail("chat.postMessage", { retryAfter: 37 });
  expect(await send(cardOf())).toEqual({
    ok: false,
    error: "#finance: Slack limits the rate of messages [ratelimited]",
    retryAfterMs: 37_000,
  });
  expect(slack.calls).toHaveLength(1);
  expect(await send(cardOf(), { attempts: 1 })).toMatchObject({ ok: true });
});

it.each([
  ["channel_not_found", "invite the app to the channel with /invite"],
  ["not_in_channel", "chat:write.public"],
  ["is_archived", "unarchive it"],
])("the error %s is permanent and says what to do", async (error, fix) => {
  const { send, slack } = await slackDesk();
  slack.fail("chat.postMessage", { error });
  const sent = await send(cardOf());
  expect(sent).toMatchObject({ ok: false, permanent: true });
  expect(sent).toHaveProperty("error", expect.stringContaining(fix));
  expect(sent).toHaveProperty("error", expect.stringContaining(`[${error}]`));
});

it.each([
  ["invalid_auth", "set the bot token"],
  ["account_inactive", "reinstall the app"],
  ["token_revoked", "reinstall the app"],
  ["missing_scope", "add it under OAuth & Permissions"],
  ["team_access_not_granted", "install it there"],
])("the error %s concerns every message, so it is temporary and says what to do", async (error, fix) => {
  const { send, slack } = await slackDesk();
  slack.fail("chat.postMessage", { error });
  const sent = await send(cardOf());
  expect(sent).toEqual({ ok: false, error: expect.stringContaining(fix) });
  expect(sent).toHaveProperty("error", expect.stringContaining(`[${error}]`));
});

it.each(["internal_error", "new_kind_of_error"])("the error %s is temporary", async (error) => {
  const { send, slack } = await slackDesk();
  slack.fail("chat.postMessage", { error });
  expect(await send(cardOf())).toEqual({ ok: false, error: `#finance: Slack failed [${error}]` });
  expect(slack.calls).toHaveLength(1);
});

it.each<[string, string, Fault]>([
  ["status 500", "Slack had an internal error [http_500]", { status: 500, body: "xoxb-1-fake-token" }],
  [
    "status 503 of Slack",
    "Slack had an internal error [http_503]",
    { status: 503, headers: { "x-slack-req-id": "abc" } },
  ],
  ["a connection that breaks", "the connection to Slack broke before the answer [disconnected]", "broken"],
  [
    "an answer that is not JSON",
    "the answer is not one of Slack's: check proxies, and the option apiUrl [unexpected_answer]",
    { status: 200, body: "<html>xoxb-1-fake-token</html>" },
  ],
  [
    "an answer without the message",
    "the answer is not one of Slack's: check proxies, and the option apiUrl [unexpected_answer]",
    { status: 200, body: '{"ok":true}' },
  ],
])("%s leaves the outcome uncertain", async (_what, words, fault) => {
  const { send, slack } = await slackDesk();
  slack.fail("chat.postMessage", fault);
  expect(await send(cardOf())).toEqual({ ok: false, error: `#finance: ${words}`, uncertain: true });
  expect(slack.calls).toHaveLength(1);
});

it("a proxy's status 503 is a certain failure", async () => {
  const { send, slack } = await slackDesk();
  slack.fail("chat.postMessage", { status: 503, body: "<html>xoxb-1-fake-token</html>" });
  const words = "a server between here and Slack answered that Slack is not available";
  expect(await send(cardOf())).toEqual({ ok: false, error: `#finance: ${words} [unavailable]` });
});

it("a server that refuses connections is a certain failure", async () => {
  const { send, slack } = await slackDesk();
  await slack.outage("refused");
  const words = "Slack cannot be reached: check the network, the proxy and the name server";
  expect(await send(cardOf())).toEqual({ ok: false, error: `#finance: ${words} [unreachable]` });
});

it("an attempt ends when its signal aborts", async () => {
  const { slack, send } = await slackDesk();
  slack.fail("chat.postMessage", "silent");
  const ended = new AbortController();
  const sending = send(cardOf(), {}, ended.signal);
  await expect.poll(() => slack.calls.length).toBe(1);
  ended.abort();
  expect(await sending).toEqual({
    ok: false,
    error: "#finance: Slack did not answer in time [timeout]",
    uncertain: true,
  });
});

it("a wrong token is a temporary failure whose error does not contain the token", async () => {
  const { send } = await slackDesk({ token: "xoxb-2-other-token" });
  const sent = await send(cardOf());
  expect(sent).toEqual({ ok: false, error: expect.stringContaining("[invalid_auth]") });
  expect(JSON.stringify(sent)).not.toContain("other-token");
});

it("a card that Slack refuses as too long is sent without arguments and without Approve", async () => {
  const { send, slack } = await slackDesk();
  slack.fail("chat.postMessage", { error: "msg_blocks_too_long" });
  referenceOf(await send(cardOf()));
  const [message] = slack.workspace.messages;
  expect(textsIn(message?.blocks ?? [])).not.toContain("A-1002");
  expect(buttonsIn(message?.blocks ?? []).map(({ text }) => text.text)).toEqual(["Deny", "Open"]);
});

it("a message whose answer was lost is found by its delivery id if the app may read the channel", async () => {
  const { send, slack, clock } = await slackDesk();
  slack.workspace.scopes.add("channels:history");
  slack.fail("chat.postMessage", "lost");
  const ended = new AbortController();
  const first = send(cardOf(), {}, ended.signal);
  await expect.poll(() => slack.workspace.messages.length).toBe(1);
  ended.abort();
  expect(await first).toMatchObject({ ok: false, uncertain: true });
  // Ten minutes later, somebody denies the call.
  const occurredAt = new Date(clock.now.getTime() + 600_000);
  const second = referenceOf(await send(closedCard("Denied"), { attempts: 1, occurredAt }));
  expect(slack.workspace.messages).toMatchObject([{ ts: second?.ts }]);
  expect(textsIn(slack.workspace.messages[0]?.blocks ?? [])).toContain(
    "✅ Refund €129.90 to ada@example.com · Denied",
  );
});

it("a repeated attempt posts again if the app may not read the channel", async () => {
  const { send, slack } = await slackDesk();
  await send(cardOf());
  referenceOf(await send(cardOf(), { attempts: 1 }));
  expect(slack.workspace.messages).toHaveLength(2);
});

it("a reminder updates the card and notifies once", async () => {
  const { send, slack } = await slackDesk();
  const posted = referenceOf(await send(cardOf()));
  const reminder = { event: "approval.reminded", messageId: "msg_2" } as const;
  const reminded = referenceOf(await send(cardOf({ version: 2 }), { ...reminder, reference: posted }));
  referenceOf(await send(cardOf({ version: 2 }), { ...reminder, reference: reminded, attempts: 1 }));
  const [card, reply, ...more] = slack.workspace.messages;
  expect(reply).toMatchObject({ threadTs: card?.ts, broadcast: true });
  expect(reply?.text).toBe("Reminder: still waiting for a decision. Refund €129.90 to ada@example.com");
  expect(buttonsIn(reply?.blocks ?? []).map(({ text }) => text.text)).toEqual(["Open"]);
  expect(more).toEqual([]);
});

it("a reminder that is sent again with a newer card notifies once", async () => {
  const { send, slack } = await slackDesk();
  const posted = referenceOf(await send(cardOf()));
  const reminder = { event: "approval.reminded", occurredAt: new Date("2026-11-23T12:05:00Z") } as const;
  const reminded = referenceOf(
    await send(cardOf({ version: 2 }), { ...reminder, messageId: "msg_2", reference: posted }),
  );
  // Somebody voted during the attempt, so the store has kept the reminder.
  const again = referenceOf(
    await send(cardOf({ version: 3 }), { ...reminder, messageId: "msg_3", reference: reminded }),
  );
  expect(slack.workspace.messages).toHaveLength(2);
  const later = { ...reminder, occurredAt: new Date("2026-11-23T12:10:00Z"), messageId: "msg_4" };
  referenceOf(await send(cardOf({ version: 4 }), { ...later, reference: again }));
  expect(slack.workspace.messages).toHaveLength(3);
});

it("a reminder of a closed call sends no notification", async () => {
  const { send, slack } = await slackDesk();
  const posted = referenceOf(await send(cardOf()));
  referenceOf(
    await send(closedCard("Denied"), { event: "approval.reminded", messageId: "m", reference: posted }),
  );
  expect(slack.workspace.messages).toHaveLength(1);
});
