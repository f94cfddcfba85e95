import { visibleText } from "@countersign/policy/display";
import fc from "fast-check";
import { expect, it } from "vitest";
import { holdForEnough } from "../../support/properties/hold-for-enough.js";
import { escaped } from "../../support/slack/block-schemas.js";
import { buttonsIn, textsIn } from "../../support/slack/people.js";
import { type Card, cardOf, slackDesk } from "./slack-desk.js";

// No call has unpaired surrogates: they are refused or replaced before.
const nasty = fc.constantFrom(
  ..."&<>*_~`|\"'\\ \n\t\0\u202e\u200b👋é中",
  "<!channel>",
  "<@U000000001>",
  ":smile:",
  "&amp;",
  "👩‍👩‍👧‍👦",
  "\u0301",
);
const word = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(nasty, { maxLength: 30 }).map((all) => all.join("")),
);
/** Short texts, and some longer than any of Slack's limits, without a pair that was cut in two. */
const text = fc
  .oneof(
    { weight: 6, arbitrary: word },
    {
      weight: 1,
      arbitrary: fc
        .tuple(word, fc.integer({ min: 1, max: 400 }))
        .map(([part, times]) => part.repeat(times).slice(0, 15_000)),
    },
  )
  .filter((value) => !/\p{Cs}/u.test(value));
const texts = (maxLength: number) => fc.array(text, { maxLength });
const date = fc.date({ noInvalidDate: false });

const cards: fc.Arbitrary<Card> = fc
  .record({
    approvalId: fc.oneof(fc.constant("apr_1"), text),
    status: fc.constantFrom(
      ...(["pending", "approved", "denied", "expired", "withdrawn", "failed"] as const),
    ),
    open: fc.boolean(),
    summary: text,
    toolName: text,
    agentName: text,
    risk: fc.constantFrom(...(["low", "medium", "high", "critical"] as const)),
    requesterName: fc.option(text),
    assigneeName: fc.option(text),
    assigneeIsDelegate: fc.boolean(),
    whoDecides: text,
    notWhole: fc.option(text),
    reasons: texts(12),
    fields: fc.oneof(
      { weight: 4, arbitrary: fc.array(fc.record({ name: text, text }), { maxLength: 8 }) },
      { weight: 1, arbitrary: fc.array(fc.record({ name: word, text: word }), { maxLength: 60 }) },
    ),
    hiddenFields: texts(8),
    codePreview: fc.option(text),
    warnings: texts(8),
    checks: fc.array(fc.record({ ok: fc.boolean(), text }), { maxLength: 8 }),
    effects: texts(10),
    reversible: fc.option(text),
    noPreview: fc.option(text),
    counts: texts(10),
    verdict: fc.constantFrom(...(["ask", "notify"] as const)),
    undo: fc.option(
      fc.record({
        ...{ text, within: fc.option(text), until: fc.option(date), undoneAt: fc.option(date) },
        ...{ possible: fc.boolean(), offered: fc.boolean(), undoId: fc.constant(null) },
      }),
    ),
    undoes: fc.option(fc.record({ approvalId: text, text })),
    digest: fc.oneof(fc.constant("d".repeat(64)), text),
    expiresAt: fc.option(date),
    quorum: fc.record({ required: fc.integer({ min: 1, max: 20 }), approved: fc.nat({ max: 20 }) }),
    outcome: fc.option(
      fc.record({
        ...{ text, decidedBy: fc.option(text), by: fc.option(text), votes: fc.constant([]) },
        ...{ reason: fc.option(text), at: date },
      }),
    ),
    url: fc.option(fc.oneof(fc.webUrl(), text)),
    decisions: fc.subarray(["approve", "deny"] as const),
  })
  .map(cardOf);

it("Slack accepts any card, a call's texts add no markup, and Approve needs the whole call shown", async () => {
  const desk = await slackDesk();
  const { messages } = desk.slack.workspace;
  await holdForEnough(
    fc.asyncProperty(cards, async (card) => {
      messages.length = 0;
      desk.slack.calls.length = 0;
      const message = await desk.post(card);
      // Escaped, it may be too long for Slack. Then, and only then, it is sent again with less of each text.
      const posts = desk.slack.calls.filter(({ method }) => method === "chat.postMessage");
      const isTooLong = escaped(JSON.stringify(JSON.parse(String(posts[0]?.body.blocks)))).length > 12_000;
      expect(posts).toHaveLength(isTooLong ? 2 : 1);
      expect(messages).toHaveLength(1);

      for (const block of message.blocks) {
        // Names of arguments, in the left column.
        const [named, values] = [0, 1].map((odd) =>
          block.type === "section" ? (block.fields ?? []).filter((_, at) => at % 2 === odd) : [],
        );
        for (const { text } of named ?? [])
          expect(text).toMatch(/^\*[\p{L}\p{N}](?:[^*~`&<>]*[^\s*_~`&<>])?\*$/u);
        for (const value of values ?? []) expect(value.type).toBe("plain_text");
        if (block.type !== "context") continue;
        for (const element of block.elements) {
          if (element.type === "plain_text") continue;
          expect(element.text).toMatch(
            /^(until|Closed|Undone|May be undone until) <!date\^\d+\^\{date_short_pretty\} at \{time\}\|[\d: -]+ UTC>$/,
          );
        }
      }
      expect(message.text).not.toMatch(/[<>]/);
      const approve = buttonsIn(message.blocks).find(({ text }) => text.text === "Approve");
      const acting = buttonsIn(message.blocks).filter(({ value }) => value);
      const undoes = acting.filter(({ text }) => text.text === "Undo");
      expect(acting.length - undoes.length > 0 && !card.open).toBe(false);
      expect(undoes.length > 0 && !card.undo?.offered).toBe(false);
      if (!approve) return;
      expect(card.decisions).toContain("approve");
      expect(textsIn(message.blocks).some((line) => line.startsWith("This message does not show"))).toBe(
        false,
      );
      const all = textsIn(message.blocks).join("");
      const changing = card.noPreview === null ? card.effects : [card.noPreview];
      for (const text of [...card.fields.map((field) => field.text), ...changing, ...card.counts]) {
        const visible = visibleText(text, Number.POSITIVE_INFINITY);
        expect(all).toContain(visible.replace(/&(?=(amp|lt|gt);)/g, "⟨&⟩"));
      }
    }),
    // Cards of 15,000 characters are slow to shrink.
    { numRuns: 150, interruptAfterTimeLimit: 120_000 },
    50,
  );
});
