import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { cardOf, closedCard, referenceOf, slackDesk } from "./slack-desk.js";

const page = readFileSync(new URL("../../../docs/channels/slack.md", import.meta.url), "utf8");

it("the scopes of the documented manifest suffice for what the channel does", async () => {
  const [, list = ""] = /\n {4}bot:\n((?: {6}- [\w:.]+\n)+)/.exec(page) ?? [];
  const scopes = list.match(/[\w.]+:[\w.]+/g) ?? [];
  expect(scopes).not.toEqual([]);

  const { slack, send, post, receive, anna } = await slackDesk();
  slack.workspace.scopes.clear();
  for (const scope of scopes) slack.workspace.scopes.add(scope);
  const message = await post(cardOf());
  const direct = { recipient: { id: anna, label: "@anna" } };
  const reference = referenceOf(await send(cardOf(), direct));
  referenceOf(await send(closedCard("Denied"), { ...direct, reference }));
  await receive(slack.people.press(anna, "Deny", message));
  await receive(slack.people.press(slack.workspace.addUser().id, "Approve", message));
  expect(slack.workspace.views).toHaveLength(1);
  expect(slack.workspace.messages.at(-1)?.text).toContain("not linked");
});
