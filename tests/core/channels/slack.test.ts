import { expect, it, vi } from "vitest";
import { cardOf, closedCard, digest, slackDesk } from "../../channels/slack/slack-desk.js";
import { buttonsIn } from "../../support/slack/people.js";

const principal = {
  ...{ id: "finance-anna", tenantId: "acme", roles: ["finance"] },
  authenticatedBy: expect.stringMatching(/^slack T000000001:U/),
};

it("the Approve button approves with the card's digest", async () => {
  const { post, slack, receive, anna, gate } = await slackDesk();
  const message = await post(cardOf());
  const answer = await receive(slack.people.press(anna, "Approve", message));
  expect([answer.status, await answer.text()]).toEqual([200, ""]);
  expect(gate.asked).toEqual([{ principal, approvalId: "apr_kJ2h9sQm", digest, decision: "approve" }]);
  expect(gate.decided).toEqual(["approve by finance-anna"]);
  expect(slack.workspace.ephemerals).toEqual([]);
});

it("the Deny button opens a form for a reason, and submitting it denies the call", async () => {
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

it("a denial does not need a reason", async () => {
  const { post, slack, receive, anna, gate } = await slackDesk();
  await receive(slack.people.press(anna, "Deny", await post(cardOf())));
  const [opened] = slack.workspace.views;
  if (!opened) throw new Error("No form opened");
  await receive(slack.people.submit(anna, opened, {}));
  expect(gate.asked).toEqual([{ principal, approvalId: "apr_kJ2h9sQm", digest, decision: "deny" }]);
});

it("a press of Open is acknowledged and decides nothing", async () => {
  const { post, slack, receive, anna, gate } = await slackDesk();
  expect((await receive(slack.people.press(anna, "Open", await post(cardOf())))).status).toBe(200);
  expect(gate.asked).toEqual([]);
});

it("Approve on a stale card tells the person the outcome and changes nothing", async () => {
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

it("Approve on a card with another digest tells the person and changes nothing", async () => {
  const { post, slack, receive, anna, gate } = await slackDesk();
  const message = await post(cardOf());
  gate.present = cardOf({ digest: "b".repeat(64) });
  await receive(slack.people.press(anna, "Approve", message));
  expect(gate.decided).toEqual([]);
  expect(slack.workspace.ephemerals).toMatchObject([{ text: "The call differs from the one you saw." }]);
});

it.each([
  [closedCard("Expired after 30 minutes"), "This request is already closed. Expired after 30 minutes."],
  [cardOf({ digest: "b".repeat(64) }), "The request differs from the one in this message."],
  [null, "This request does not exist any more, or you may not see it."],
])("Deny on a stale card opens no form and tells the person why", async (present, words) => {
  const { post, slack, receive, anna, gate } = await slackDesk();
  const message = await post(cardOf());
  gate.card = async () => present;
  await receive(slack.people.press(anna, "Deny", message));
  expect(slack.workspace.views).toEqual([]);
  expect(slack.workspace.ephemerals).toMatchObject([{ text: expect.stringContaining(words) }]);
});

it("a form that is submitted after another decision shows that decision", async () => {
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

it("a person is asked to press Deny again if the form could not open in time", async () => {
  const { post, slack, receive, anna, clock } = await slackDesk();
  const request = slack.people.press(anna, "Deny", await post(cardOf()));
  clock.now = new Date(clock.now.getTime() + 4000);
  expect((await receive(request)).status).toBe(200);
  expect(slack.workspace.ephemerals).toMatchObject([{ text: expect.stringContaining("Press Deny again") }]);
});

it("a repeated Approve decides only once, and the person is told", async () => {
  const { post, slack, receive, anna, gate } = await slackDesk();
  const request = slack.people.press(anna, "Approve", await post(cardOf()));
  await receive(request);
  expect(slack.workspace.ephemerals).toEqual([]);
  await receive(request);
  expect(gate.decided).toEqual(["approve by finance-anna"]);
  expect(slack.workspace.ephemerals).toMatchObject([
    { user: anna, text: "You have already approved this request. approve by finance-anna." },
  ]);
});

it("a replayed form submission decides only once", async () => {
  const { post, slack, receive, anna, gate } = await slackDesk();
  await receive(slack.people.press(anna, "Deny", await post(cardOf())));
  const [opened] = slack.workspace.views;
  if (!opened) throw new Error("No form opened");
  const request = slack.people.submit(anna, opened, {});
  await receive(request);
  expect(await slack.people.afterSubmit(opened, await receive(request))).toBe("closed");
  expect(gate.decided).toEqual(["deny by finance-anna"]);
});

it("a person without a linked account is asked to link it and decides nothing", async () => {
  const linkUrl = "https://desk.example.com/link";
  const { post, slack, receive, finance, gate } = await slackDesk({ linkUrl });
  const stranger = slack.workspace.addUser({ channels: [finance] }).id;
  const message = await post(cardOf());
  await receive(slack.people.press(stranger, "Approve", message));
  await receive(slack.people.press(stranger, "Deny", message));
  expect(gate.asked).toEqual([]);
  expect(slack.workspace.views).toEqual([]);
  expect(slack.workspace.ephemerals).toHaveLength(2);
  const [notice] = slack.workspace.ephemerals;
  expect(notice).toMatchObject({ user: stranger, text: expect.stringContaining("not linked") });
  expect(buttonsIn(notice?.blocks ?? [])).toMatchObject([
    { text: { text: "Link your account" }, url: linkUrl },
  ]);
});

it("a form of a person without a linked account says how to link it", async () => {
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

it("a person of another workspace is refused before identify is called", async () => {
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

it("identify gets the person's own workspace if the option team is not set", async () => {
  const identify = vi.fn(() => null);
  const { post, slack, receive, finance } = await slackDesk({ identify });
  const outsider = slack.workspace.addUser({ team: "T999999999", channels: [finance] }).id;
  await receive(slack.people.press(outsider, "Approve", await post(cardOf())));
  expect(identify).toHaveBeenCalledWith({
    ...{ channel: "slack", id: `T999999999:${outsider}` },
    attributes: { team: "T999999999", user: outsider },
  });
});

it("a person without a tenant is of the instance's, which the gate knows", async () => {
  const { tenantId: _, ...anna } = principal;
  const identify = () => ({ id: "finance-anna", roles: ["finance"] });
  const { post, slack, receive, anna: user, gate } = await slackDesk({ identify });
  await receive(slack.people.press(user, "Approve", await post(cardOf())));
  expect(gate.asked).toEqual([{ principal: anna, approvalId: "apr_kJ2h9sQm", digest, decision: "approve" }]);
});

it.each<[string, () => never | object]>([
  [
    "throws",
    () => {
      throw new Error("directory down, password=hunter2");
    },
  ],
  ["returns no principal", () => ({ id: "" })],
  ["returns a tenant without a value", () => ({ id: "a", tenantId: undefined, roles: ["finance"] })],
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

it("a person is told that a decision could not be recorded, without the error's details", async () => {
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

it("a person outside the Slack channel gets the answer as a direct message", async () => {
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
  const [notice] = slack.workspace.ephemerals;
  expect(notice?.text).toContain("&lt;!channel&gt;");
  expect(JSON.stringify(notice?.blocks)).not.toContain("mrkdwn");
});

it("a request is acknowledged even if Slack cannot deliver the answer to the person", async () => {
  const { post, slack, receive, anna, gate, logged } = await slackDesk();
  const message = await post(cardOf());
  gate.present = closedCard("Denied by finance-bob");
  slack.fail("chat.postEphemeral", { status: 500 });
  expect((await receive(slack.people.press(anna, "Approve", message))).status).toBe(200);
  expect(logged).toEqual([expect.stringContaining("http_500")]);
});

it("identify can look up the e-mail address of a person's Slack account", async () => {
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
