import { slack } from "@countersign/channels/slack";
import type { Principal } from "countersign";
import { expect, it, onTestFinished } from "vitest";
import { openDeliveryDesk } from "../../support/delivery-desk.js";
import { proposeCall } from "../../support/proposals.js";
import { startFakeSlack } from "../../support/slack/fake-slack.js";
import { buttonsIn, textsIn } from "../../support/slack/people.js";

const finance: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };

it("events from the time of a revoked token are delivered once the token works again", async () => {
  const fake = await startFakeSlack();
  onTestFinished(() => fake.close());
  const { id: conversation } = fake.workspace.addChannel("finance");
  const { token, signingSecret, apiUrl } = fake;
  await using desk = await openDeliveryDesk(
    slack({ token, signingSecret, apiUrl, identify: () => finance, roundup: false }),
  );
  const propose = (summary: string) =>
    proposeCall(desk.store, { notify: [`slack:${conversation}`], timeoutMs: 3_600_000, summary });
  const [first] = await propose("Refund A-1");
  if (!first) throw new Error("unreachable");
  await desk.sendAll();

  fake.fail("chat.update", { error: "token_revoked" });
  fake.fail("chat.postMessage", { error: "token_revoked" });
  const { id: approvalId, digest } = first;
  await desk.store.decide({ approvalId, principal: finance, type: "deny", digest, reason: null });
  await propose("Refund A-2");
  await desk.sendAll();
  expect(fake.workspace.messages).toHaveLength(1);

  desk.time.offset += 600_000;
  await desk.sendAll();
  const [denied, announced] = fake.workspace.messages.map(({ blocks = [] }) => blocks);
  expect(buttonsIn(denied ?? []).map(({ text }) => text.text)).toEqual(["Open"]);
  expect(textsIn(announced ?? [])).toContain("Refund A-2");
});
