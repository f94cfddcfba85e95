import { expect, it, vi } from "vitest";
import { buttonsIn } from "../../support/slack/people.js";
import { cardOf, closedCard, digest, slackDesk } from "./slack-desk.js";

const principal = {
  ...{ id: "finance-anna", tenantId: "acme", roles: ["finance"] },
  authenticatedBy: expect.stringMatching(/^slack T000000001:U/),
};

it("Approve decides with the digest of the card", async () => {
  const { post, slack, receive, anna, gate } = await slackDesk();
  const message = await post(cardOf());
  const answer = await receive(slack.people.press(anna, "Approve", message));
  expect([answer.status, await answer.text()]).toEqual([200, ""]);
  expect(gate.asked).toEqual([{ principal, approvalId: "apr_kJ2h9sQm", digest, decision: "approve" }]);
  expect(gate.decided).toEqual(["approve by finance-anna"]);
  expect(slack.workspace.ephemerals).toEqual([]);
});

it("Deny asks for a reason, and the form denies", async () => {
  const { post, slack, receive, anna, gate } = await slackDesk();
  const message = await post(cardOf());
  await receive(slack.people.press(anna, "Deny", message));
  expect(gate.asked).toEqual([]);
  const [opened] = slack.workspace.views;
  if (!opened) throw new Error("No form opened");
  const answer = await receive(slack.people.submit(anna, opened, { countersign_reason: "  wrong order " }));
  expect(await slack.people.afterSubmit(opened, answer)).toBe("closed");
  expect(gate.asked).toEqual([
    { principal, approvalId: "apr_kJ2h9sQm", digest, decision: "deny", reason: "wrong order" },
  ]);
});

it("a denial needs no reason", async () => {
  const { post, slack, receive, anna, gate } = await slackDesk();
  await receive(slack.people.press(anna, "Deny", await post(cardOf())));
  const [opened] = slack.workspace.views;
  if (!opened) throw new Error("No form opened");
  await receive(slack.people.submit(anna, opened, {}));
  expect(gate.asked).toEqual([{ principal, approvalId: "apr_kJ2h9sQm", digest, decision: "deny" }]);
});

it("Open is acknowledged and decides nothing", async () => {
  const { post, slack, receive, anna, gate } = await slackDesk();
  expect((await receive(slack.people.press(anna, "Open", await post(cardOf())))).status).toBe(200);
  expect(gate.asked).toEqual([]);
});

it("a stale Approve gets the truth and changes nothing", async () => {
  const { post, slack, receive, anna, gate } = await slackDesk();
  const message = await post(cardOf());
  gate.present = closedCard("Denied by finance-bob");
  const answer = await receive(slack.people.press(anna, "Approve", message));
  expect(answer.status).toBe(200);
  expect(gate.decided).toEqual([]);
  expect(slack.workspace.ephemerals).toMatchObject([
    {
      user: anna,
      channel: message.channel,
      text: "This call has already been decided. Denied by finance-bob.",
    },
  ]);
});

it("Approve on a card of another digest gets the truth and changes nothing", async () => {
  const { post, slack, receive, anna, gate } = await slackDesk();
  const message = await post(cardOf());
  gate.present = cardOf({ digest: "b".repeat(64) });
  await receive(slack.people.press(anna, "Approve", message));
  expect(gate.decided).toEqual([]);
  expect(slack.workspace.ephemerals).toMatchObject([{ text: "The call differs from the one you saw." }]);
});

it.each([
  [closedCard("Expired after 30 minutes"), "This call has already been closed. Expired after 30 minutes."],
  [cardOf({ digest: "b".repeat(64) }), "The call differs from the one in this message."],
  [null, "This call does not exist any more, or you may not see it."],
])("a stale Deny opens no form", async (present, words) => {
  const { post, slack, receive, anna, gate } = await slackDesk();
  const message = await post(cardOf());
  gate.card = async () => present;
  await receive(slack.people.press(anna, "Deny", message));
  expect(slack.workspace.views).toEqual([]);
  expect(slack.workspace.ephemerals).toMatchObject([{ text: expect.stringContaining(words) }]);
});

it("a form that became stale shows the truth", async () => {
  const { post, slack, receive, anna, gate } = await slackDesk();
  await receive(slack.people.press(anna, "Deny", await post(cardOf())));
  gate.present = closedCard("Approved by finance-bob");
  const [opened] = slack.workspace.views;
  if (!opened) throw new Error("No form opened");
  const answer = await receive(slack.people.submit(anna, opened, { countersign_reason: "no" }));
  expect(await slack.people.afterSubmit(opened, answer)).toEqual({
    countersign_reason: "This call has already been decided. Approved by finance-bob.",
  });
  expect(gate.decided).toEqual([]);
});

it("a form that Slack opens too late tells the person to press again", async () => {
  const { post, slack, receive, anna, clock } = await slackDesk();
  const request = slack.people.press(anna, "Deny", await post(cardOf()));
  clock.now = new Date(clock.now.getTime() + 4000);
  expect((await receive(request)).status).toBe(200);
  expect(slack.workspace.ephemerals).toMatchObject([{ text: expect.stringContaining("Press Deny again") }]);
});

it("a replayed Approve changes nothing more", async () => {
  const { post, slack, receive, anna, gate } = await slackDesk();
  const request = slack.people.press(anna, "Approve", await post(cardOf()));
  await receive(request);
  await receive(request);
  expect(gate.decided).toEqual(["approve by finance-anna"]);
  expect(slack.workspace.ephemerals).toEqual([]);
});

it("a replayed form changes nothing more", async () => {
  const { post, slack, receive, anna, gate } = await slackDesk();
  await receive(slack.people.press(anna, "Deny", await post(cardOf())));
  const [opened] = slack.workspace.views;
  if (!opened) throw new Error("No form opened");
  const request = slack.people.submit(anna, opened, {});
  await receive(request);
  expect(await slack.people.afterSubmit(opened, await receive(request))).toBe("closed");
  expect(gate.decided).toEqual(["deny by finance-anna"]);
});

it("an unknown person is asked to link the account, and decides nothing", async () => {
  const linkUrl = "https://desk.example.com/link";
  const { post, slack, receive, finance, gate } = await slackDesk({ linkUrl });
  const stranger = slack.workspace.addUser({ channels: [finance] }).id;
  const message = await post(cardOf());
  await receive(slack.people.press(stranger, "Approve", message));
  await receive(slack.people.press(stranger, "Deny", message));
  expect(gate.asked).toEqual([]);
  expect(slack.workspace.views).toEqual([]);
  expect(slack.workspace.ephemerals).toHaveLength(2);
  const [told] = slack.workspace.ephemerals;
  expect(told).toMatchObject({ user: stranger, text: expect.stringContaining("not linked") });
  expect(buttonsIn(told?.blocks ?? [])).toMatchObject([
    { text: { text: "Link your account" }, url: linkUrl },
  ]);
});

it("a form of an unknown person says how to link the account", async () => {
  const { post, slack, receive, finance, anna, gate } = await slackDesk({
    linkUrl: "https://desk.example.com/link",
  });
  const stranger = slack.workspace.addUser({ channels: [finance] }).id;
  await receive(slack.people.press(anna, "Deny", await post(cardOf())));
  const [opened] = slack.workspace.views;
  if (!opened) throw new Error("No form opened");
  const answer = await receive(slack.people.submit(stranger, opened, {}));
  expect(await slack.people.afterSubmit(opened, answer)).toEqual({
    countersign_reason: expect.stringContaining("Link it: https://desk.example.com/link"),
  });
  expect(gate.asked).toEqual([]);
});

it("a person of another workspace is refused before identify is asked", async () => {
  const identify = vi.fn(() => ({ id: "x", tenantId: "acme", roles: ["finance"] }));
  const { post, slack, receive, finance, gate, logged } = await slackDesk({ team: "T000000001", identify });
  const outsider = slack.workspace.addUser({ team: "T999999999", channels: [finance] }).id;
  await receive(slack.people.press(outsider, "Approve", await post(cardOf())));
  expect(identify).not.toHaveBeenCalled();
  expect(gate.asked).toEqual([]);
  expect(slack.workspace.ephemerals).toMatchObject([
    { text: "People of your Slack workspace cannot decide here." },
  ]);
  expect(logged).toEqual([expect.stringContaining("T999999999")]);
});

it("without the option team, identify learns the person's own workspace", async () => {
  const identify = vi.fn(() => null);
  const { post, slack, receive, finance } = await slackDesk({ identify });
  const outsider = slack.workspace.addUser({ team: "T999999999", channels: [finance] }).id;
  await receive(slack.people.press(outsider, "Approve", await post(cardOf())));
  expect(identify).toHaveBeenCalledWith({
    ...{ channel: "slack", id: `T999999999:${outsider}` },
    attributes: { team: "T999999999", user: outsider },
  });
});

it.each<[string, () => never | object]>([
  [
    "throws",
    () => {
      throw new Error("directory down, password=hunter2");
    },
  ],
  ["returns no principal", () => ({ id: "" })],
])("nobody decides if identify %s", async (_what, identify) => {
  const { post, slack, receive, anna, gate, logged } = await slackDesk({ identify: identify as never });
  expect((await receive(slack.people.press(anna, "Approve", await post(cardOf())))).status).toBe(200);
  expect(gate.asked).toEqual([]);
  expect(slack.workspace.ephemerals).toMatchObject([
    { text: expect.stringContaining("could not be looked up") },
  ]);
  expect(logged).toHaveLength(1);
  expect(logged[0]).not.toContain("hunter2");
});

it("a gate that fails is reported to the person without its error", async () => {
  const { post, slack, receive, anna, gate, logged } = await slackDesk();
  const message = await post(cardOf());
  gate.decide = async () => {
    throw new Error("connection to 10.0.0.7 refused");
  };
  expect((await receive(slack.people.press(anna, "Approve", message))).status).toBe(200);
  expect(slack.workspace.ephemerals).toMatchObject([
    { text: expect.stringContaining("could not be recorded") },
  ]);
  expect(JSON.stringify([logged, slack.workspace.ephemerals])).not.toContain("10.0.0.7");
});

it("a person outside of the conversation gets the answer as a direct message", async () => {
  const { post, slack, receive, gate } = await slackDesk();
  const passerby = slack.workspace.addUser().id;
  const message = await post(cardOf());
  await receive(slack.people.press(passerby, "Approve", message));
  expect(gate.asked).toEqual([]);
  expect(slack.workspace.messages.at(-1)).toMatchObject({
    channel: `D${passerby.slice(1)}`,
    text: expect.stringContaining("not linked"),
  });
});

it("a refusal that quotes markup cannot mention anybody", async () => {
  const { post, slack, receive, anna, gate } = await slackDesk();
  const message = await post(cardOf());
  gate.present = closedCard("Denied by <!channel>");
  await receive(slack.people.press(anna, "Approve", message));
  const [told] = slack.workspace.ephemerals;
  expect(told?.text).toContain("&lt;!channel&gt;");
  expect(JSON.stringify(told?.blocks)).not.toContain("mrkdwn");
});

it("Slack being down while a person waits for an answer fails nothing else", async () => {
  const { post, slack, receive, anna, gate, logged } = await slackDesk();
  const message = await post(cardOf());
  gate.present = closedCard("Denied by finance-bob");
  slack.fail("chat.postEphemeral", { status: 503 });
  expect((await receive(slack.people.press(anna, "Approve", message))).status).toBe(200);
  expect(logged).toEqual([expect.stringContaining("http_503")]);
});

it("identify can look people up by the e-mail address of their Slack account", async () => {
  const emails: unknown[] = [];
  const { post, slack, receive, anna } = await slackDesk({
    identify: async ({ attributes: { user = "" } }) => {
      const answer = await fetch(`${slack.apiUrl}users.info`, {
        method: "POST",
        headers: { authorization: `Bearer ${slack.token}` },
        body: new URLSearchParams({ user }),
      });
      emails.push((await answer.json()).user.profile.email);
      return null;
    },
  });
  await receive(slack.people.press(anna, "Approve", await post(cardOf())));
  expect(emails).toEqual([`${anna.toLowerCase()}@example.com`]);
});
