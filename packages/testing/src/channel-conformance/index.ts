import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { ChannelCheck, ChannelUnderTest } from "./channel-under-test.js";
import { closedCard, openCard } from "./example-delivery.js";
import { roundupChecks } from "./roundup-checks.js";
import { accepted, type TriedChannel, tryChannel } from "./try-channel.js";

export type { ChannelCheck, ChannelUnderTest, SeenMessage } from "./channel-under-test.js";

/** Texts that a channel with markup must not interpret. */
const markup = [
  "<b>bold</b>",
  "*bold*",
  "<!channel>",
  "<https://evil.example|click>",
  "[click](https://evil.example)",
  "&amp;",
];

/**
 * Requirements for every channel, to run with any test runner. `open` is called for each check.
 *
 * @example
 * ```ts
 * import { test } from "node:test";
 * import { channelConformance, type ChannelUnderTest } from "@countersign/testing";
 *
 * export function conforms(open: () => Promise<ChannelUnderTest>) {
 *   for (const { name, run } of channelConformance(open)) test(name, run);
 * }
 * ```
 */
export function channelConformance(open: () => ChannelUnderTest | Promise<ChannelUnderTest>): ChannelCheck[] {
  return Object.entries(checks).map(([name, check]) => ({
    name,
    async run() {
      const under = await open();
      try {
        await check(tryChannel(under));
      } finally {
        await under.close?.();
      }
    },
  }));
}

const checks: Record<string, (under: TriedChannel) => Promise<void>> = {
  ...roundupChecks,

  async "a channel has a name that rules can use"({ channel }) {
    match(channel.name, /^[a-z][a-z0-9-]{0,31}$/);
    ok(!["inbox", "api"].includes(channel.name), "the name is reserved");
  },

  async "recipients have ids of their own, and labels without secrets"({ channel, target, secrets = [] }) {
    const recipients = await channel.recipients(target, openCard());
    ok(recipients.length > 0, "recipients() returns nobody for an open card");
    equal(new Set(recipients.map(({ id }) => id)).size, recipients.length, "two recipients have the same id");
    withoutSecrets(recipients, secrets);
  },

  async "an open card shows the call"(under) {
    accepted(await under.send(openCard()));
    const { text } = await under.last();
    const card = openCard();
    for (const part of [card.summary, ...card.fields.map((field) => field.text)]) {
      ok(text.includes(part), `the message lacks "${part}"`);
    }
  },

  async "a message offers no decision that its card does not"(under) {
    for (const decisions of [["deny"], []] as const) {
      accepted(
        await under.send(openCard({ decisions }), {
          id: `dlv_${decisions.length}`,
          messageId: `dlv_${decisions.length}_7`,
        }),
      );
      const { buttons } = await under.last();
      const added = buttons.filter((button) => !(decisions as readonly string[]).includes(button));
      deepEqual(added, [], `a card with the decisions [${decisions.join(", ")}] offers more`);
    }
  },

  async "a message that does not show the whole card offers no approval"(under) {
    const fields = Array.from({ length: 40 }, (_, at) => ({
      name: `field${at}`,
      text: `${at} ${"long ".repeat(100)}end of ${at}`,
    }));
    accepted(await under.send(openCard({ fields })));
    const { text, buttons } = await under.last();
    const whole = fields.every((field) => text.includes(field.text));
    ok(whole || !buttons.includes("approve"), "it offers to approve what it does not show");

    const effects = ["order A-1001: paid → refunded", "customer ada: 2 → 3"];
    accepted(await under.send(openCard({ effects }), { id: "dlv_effects", messageId: "dlv_effects_7" }));
    const changing = await under.last();
    const all = effects.every((effect) => changing.text.includes(effect));
    ok(all || !changing.buttons.includes("approve"), "it offers to approve effects that it does not show");
  },

  async "a call that is over has its outcome and no buttons, wherever it is shown"(under) {
    const { reference } = accepted(await under.send(openCard()));
    accepted(await under.send(closedCard(), { reference }));
    const seen = await under.seen();
    ok(seen.at(-1)?.text.includes("Approved by Anna"), "the message lacks the outcome");
    for (const { buttons } of under.channel.mode === "card" ? seen : seen.slice(-1)) {
      deepEqual(buttons, [], "a button is left");
    }
  },

  async "a card is updated in its place"(under) {
    if (under.channel.mode !== "card") return;
    const { reference } = accepted(await under.send(openCard()));
    accepted(await under.send(closedCard(), { reference }));
    equal((await under.seen()).length, 1, "the update is a message of its own");
  },

  async "the same delivery twice changes nothing"(under) {
    const { reference } = accepted(await under.send(openCard()));
    const before = await under.seen();
    accepted(await under.send(openCard(), { reference, attempts: 1 }));
    const after = await under.seen();
    if (under.channel.mode === "card") deepEqual(after, before);
    else deepEqual(after.at(-1), before.at(-1), "the repeated message differs");
  },

  async "texts of the call are plain text"(under) {
    const fields = markup.map((text, index) => ({ name: `field${index}`, text }));
    accepted(await under.send(openCard({ fields })));
    const { text } = await under.last();
    for (const part of markup) ok(text.includes(part), `the message does not show "${part}" as it is`);
  },

  async "references are JSON without secrets"(under) {
    const { reference } = accepted(await under.send(openCard()));
    deepEqual(JSON.parse(JSON.stringify(reference)), reference);
    withoutSecrets(reference, under.secrets ?? []);
    for (const message of await under.seen()) withoutSecrets(message, under.secrets ?? []);
  },

  async "a failure is reported in time and without secrets"(under) {
    if (!under.breakDown) return;
    await under.breakDown();
    const failure = await under.send(openCard()).then(
      (sent) => {
        ok(!sent.ok, "send() reports success although its server is down");
        return sent.error;
      },
      (error: unknown) => String(error),
    );
    withoutSecrets(failure, under.secrets ?? []);
  },
};

function withoutSecrets(value: unknown, secrets: readonly string[]): void {
  const json = JSON.stringify(value) ?? "";
  for (const secret of secrets) ok(!json.includes(secret), "a secret is shown");
}
