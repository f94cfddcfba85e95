import { expect, it } from "vitest";
import { cardOf, closedCard, referenceOf, slackDesk } from "./slack-desk.js";

it.each([
  ["#finance", "#finance"],
  ["#größe-日本", "#größe-日本"],
  ["C0123456789", "C0123456789"],
  ["G0123456789", "G0123456789"],
  ["@U0123456789", "U0123456789"],
  ["W0123456789", "W0123456789"],
])("the target %s resolves to the recipient %s", async (target, id) => {
  const { channel } = await slackDesk();
  expect(await channel.recipients(target, cardOf())).toMatchObject([{ id }]);
});

it.each(["finance", "@anna", "#two words", "", "https://evil.example", "#<!channel>"])(
  "the invalid target %j fails permanently and says what a target must be",
  async (target) => {
    const { channel, send, slack } = await slackDesk();
    const [recipient] = await channel.recipients(target, cardOf());
    if (!recipient) throw new Error("No recipient");
    const sent = await send(cardOf(), { recipient });
    expect(sent).toMatchObject({
      ok: false,
      permanent: true,
      error: expect.stringContaining("must be a channel"),
    });
    expect(slack.calls).toEqual([]);
  },
);

it("a rule without a target uses the option channel, and fails permanently if that is not set", async () => {
  const { channel } = await slackDesk({ channel: "#approvals" });
  expect(await channel.recipients(null, cardOf())).toEqual([{ id: "#approvals", label: "#approvals" }]);
  const without = await slackDesk();
  const [recipient] = await without.channel.recipients(null, cardOf());
  if (!recipient) throw new Error("No recipient");
  expect(await without.send(cardOf(), { recipient })).toMatchObject({ ok: false, permanent: true });
});

it("a message to a channel name is updated by the channel's id", async () => {
  const { send, slack, finance } = await slackDesk();
  const recipient = { id: "#finance", label: "#finance" };
  const reference = referenceOf(await send(cardOf(), { recipient }));
  expect(reference).toMatchObject({ channel: finance.id });
  referenceOf(await send(closedCard("Denied"), { recipient, reference }));
  expect(slack.workspace.messages).toHaveLength(1);
});

it("a person gets a card as a direct message, which is updated later", async () => {
  const { send, slack, anna } = await slackDesk();
  const recipient = { id: anna, label: `@${anna}` };
  const reference = referenceOf(await send(cardOf(), { recipient }));
  expect(reference).toMatchObject({ channel: `D${anna.slice(1)}` });
  referenceOf(await send(closedCard("Denied"), { recipient, reference }));
  expect(slack.workspace.messages).toHaveLength(1);
  expect(slack.calls.map(({ method }) => method)).toEqual([
    "conversations.open",
    "chat.postMessage",
    "chat.update",
  ]);
});

it("a message to a deactivated user fails permanently", async () => {
  const { send, slack, anna } = await slackDesk();
  const user = slack.workspace.users.get(anna);
  if (user) user.deactivated = true;
  expect(await send(cardOf(), { recipient: { id: anna, label: `@${anna}` } })).toMatchObject({
    ok: false,
    permanent: true,
  });
});

it("a function finds the recipients by the target and the call, each once", async () => {
  const { channel } = await slackDesk({
    recipients: (target, { assignee }) => [target ?? "#all", `@${assignee}`, "U0123456789"],
  });
  const card = cardOf({ assignee: "U0123456789" });
  expect(await channel.recipients("#finance", card)).toEqual([
    { id: "#finance", label: "#finance" },
    { id: "U0123456789", label: "@U0123456789" },
  ]);
});

it("a function that returns no list of targets is an error that names it", async () => {
  const { channel } = await slackDesk({ recipients: () => "U0123456789" as never });
  await expect(async () => channel.recipients(null, cardOf())).rejects.toThrow(
    /^recipients\(\): must return/,
  );
});
