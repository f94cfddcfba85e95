import { type ChannelUnderTest, channelConformance, type SeenMessage } from "@countersign/testing";
import type { Channel } from "countersign";
import type { Card, Delivery, Roundup, Sent } from "countersign/types";
import { describe, expect, it } from "vitest";

const secret = "xoxb-1234567890";

type Send = (delivery: Delivery, messages: Map<string, SeenMessage>) => Sent;

const seenOf = ({ summary, fields, effects, outcome, decisions }: Card): SeenMessage => ({
  text: [
    summary,
    ...fields.map(({ name, text }) => `${name}: ${text}`),
    ...effects,
    outcome?.text ?? "",
  ].join("\n"),
  buttons: decisions,
});

const good: Send = ({ id, card }, messages) => {
  messages.set(id, seenOf(card));
  return { ok: true, reference: { message: id } };
};

function open(
  send: Send,
  changes: Partial<Channel> = {},
  down: () => Sent = () => ({ ok: false, error: "down" }),
) {
  return (): ChannelUnderTest => {
    const messages = new Map<string, SeenMessage>();
    let broken = false;
    const channel: Channel = {
      name: "board",
      mode: "card",
      recipients: () => [{ id: "ada", label: "Ada" }],
      send: async (delivery) => (broken ? down() : send(delivery, messages)),
      ...changes,
    };
    const breakDown = () => {
      broken = true;
    };
    return { channel, seen: () => [...messages.values()], breakDown, secrets: [secret] };
  };
}

async function failuresOf(opened: () => ChannelUnderTest): Promise<string[]> {
  const results = await Promise.all(
    channelConformance(opened).map(async ({ name, run }) =>
      run().then(
        () => [],
        () => [name],
      ),
    ),
  );
  return results.flat();
}

it.each(["card", "events"] as const)("a correct channel of mode %s passes every check", async (mode) => {
  expect(await failuresOf(open(good, { mode }))).toEqual([]);
});

/** A channel that sends roundups. */
function openRoundups(seenOfRoundup: (roundup: Roundup) => SeenMessage) {
  return (): ChannelUnderTest => {
    const messages = new Map<string, SeenMessage>();
    const under = open((delivery) => good(delivery, messages), {
      roundup: { after: 3, withinMs: 60_000 },
      sendRoundup: async ({ messageId, roundup }) => {
        messages.set(messageId, seenOfRoundup(roundup));
        return { ok: true, reference: null };
      },
    })();
    const { breakDown: _, ...rest } = under;
    return { ...rest, seen: () => [...messages.values()] };
  };
}

const seenRoundup = ({ calls, tools }: Roundup): SeenMessage => ({
  text: [`${calls} calls`, ...tools.map(({ name }) => name)].join("\n"),
  buttons: [],
});

it("a channel with correct roundups passes every check", async () => {
  expect(await failuresOf(openRoundups(seenRoundup))).toEqual([]);
});

const down = (error: string) => () => ({ ok: false, error }) as const;
let posted = 0;

describe.each<[what: string, opened: () => ChannelUnderTest, failing: string[]]>([
  ["a reserved name", open(good, { name: "inbox" }), ["a channel has a name that rules can use"]],
  [
    "two recipients of one id",
    open(good, { recipients: () => [1, 2].map((at) => ({ id: "ada", label: `Ada ${at}` })) }),
    ["recipients have ids of their own, and labels without secrets"],
  ],
  [
    "a label with its token",
    open(good, { recipients: () => [{ id: "ada", label: secret }] }),
    ["recipients have ids of their own, and labels without secrets"],
  ],
  [
    "buttons on every card",
    open((delivery, messages) => {
      const sent = good(delivery, messages);
      messages.set(delivery.id, { ...seenOf(delivery.card), buttons: ["approve", "deny"] });
      return sent;
    }),
    [
      "a message offers no decision that its card does not",
      "a call that is over has its outcome and no buttons, wherever it is shown",
    ],
  ],
  [
    "a new message for each card",
    open((delivery, messages) => good({ ...delivery, id: `${delivery.id}${++posted}` }, messages)),
    [
      "a call that is over has its outcome and no buttons, wherever it is shown",
      "a card is updated in its place",
      "the same delivery twice changes nothing",
    ],
  ],
  [
    "markup characters removed from texts",
    open((delivery, messages) => {
      const sent = good(delivery, messages);
      const { text, buttons } = seenOf(delivery.card);
      messages.set(delivery.id, { text: text.replaceAll(/[<*]/g, ""), buttons });
      return sent;
    }),
    ["texts of the call are plain text"],
  ],
  [
    "arguments left out of its cards",
    open(({ id, card }, messages) =>
      good({ id, card: { ...card, fields: [] } } as unknown as Delivery, messages),
    ),
    [
      "an open card shows the call",
      "a message that does not show the whole card offers no approval",
      "texts of the call are plain text",
    ],
  ],
  [
    "effects left out of its cards",
    open(({ id, card }, messages) =>
      good({ id, card: { ...card, effects: [] } } as unknown as Delivery, messages),
    ),
    ["a message that does not show the whole card offers no approval"],
  ],
  [
    "its token in a reference",
    open((delivery, messages) => ({ ...good(delivery, messages), reference: { token: secret } }) as Sent),
    ["references are JSON without secrets"],
  ],
  [
    "its token in an error",
    open(good, {}, down(`401 for ${secret}`)),
    ["a failure is reported in time and without secrets"],
  ],
  [
    "buttons on roundups",
    openRoundups((roundup) => ({ ...seenRoundup(roundup), buttons: ["approve"] })),
    ["a roundup says how many calls wait and offers no decision"],
  ],
  [
    "roundups without the tools",
    openRoundups((roundup) => seenRoundup({ ...roundup, tools: [] })),
    ["a roundup says how many calls wait and offers no decision"],
  ],
  [
    "a success that it reports while its server is down",
    open(good, {}, () => ({ ok: true, reference: null })),
    ["a failure is reported in time and without secrets"],
  ],
])("a channel with %s", (_, opened, failing) => {
  it("fails exactly the checks that cover this", async () => {
    expect(await failuresOf(opened)).toEqual(failing);
  });
});
