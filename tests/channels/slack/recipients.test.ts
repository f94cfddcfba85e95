import { expect, it } from "vitest";
import { cardOf, closedCard, referenceOf, slackDesk } from "./slack-desk.js";

it.each([
  ["#finance", "#finance"],
  ["#größe-日本", "#größe-日本"],
  ["C0123456789", "C0123456789"],
  ["G0123456789", "G0123456789"],
  ["@U0123456789", "U0123456789"],
  ["W0123456789", "W0123456789"],
])("the target %s is the recipient %s", async (target, id) => {
  const { channel } = await slackDesk();
  expect(await channel.recipients(target, cardOf())).toMatchObject([{ id }]);
});

it.each(["finance", "@anna", "#two words", "", "https://evil.example", "#<!channel>"])(
  "the target %j fails for good and says what it must be",
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

it("a rule without a target posts to the option's channel, and fails visibly without one", async () => {
  const { channel } = await slackDesk({ channel: "#approvals" });
  expect(await channel.recipients(null, cardOf())).toEqual([{ id: "#approvals", label: "#approvals" }]);
  const without = await slackDesk();
  const [recipient] = await without.channel.recipients(null, cardOf());
  if (!recipient) throw new Error("No recipient");
  expect(await without.send(cardOf(), { recipient })).toMatchObject({ ok: false, permanent: true });
});

it("a channel by name is posted to, and updated by its id", async () => {
  const { send, slack, finance } = await slackDesk();
  const recipient = { id: "#finance", label: "#finance" };
  const reference = referenceOf(await send(cardOf(), { recipient }));
  expect(reference).toMatchObject({ channel: finance.id });
  referenceOf(await send(closedCard("Denied"), { recipient, reference }));
  expect(slack.workspace.messages).toHaveLength(1);
});

it("a person gets a direct message, which is updated later", async () => {
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

it("a person who has left fails for good", async () => {
  const { send, slack, anna } = await slackDesk();
  const user = slack.workspace.users.get(anna);
  if (user) user.deactivated = true;
  expect(await send(cardOf(), { recipient: { id: anna, label: `@${anna}` } })).toMatchObject({
    ok: false,
    permanent: true,
  });
});
