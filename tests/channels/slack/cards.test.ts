import { expect, it } from "vitest";
import { buttonsIn, textsIn } from "../../support/slack/people.js";
import { cardOf, closedCard, digest, outcomeBy, slackDesk } from "./slack-desk.js";

it("a card shows the call, its deadline and its buttons", async () => {
  const desk = await slackDesk();
  const message = await desk.post(
    cardOf({ quorum: { required: 2, approved: 1 }, warnings: ["аda@example.com imitates ada@example.com"] }),
  );
  expect(textsIn(message.blocks)).toEqual([
    "Refund €129.90 to ada@example.com",
    "⚠️ High risk · ada@example.com via support",
    "until <!date^1795437000^{date_short_pretty} at {time}|2026-11-23 12:30 UTC>",
    "Warning: аda@example.com imitates ada@example.com",
    "*orderId*",
    "A-1002",
    "*amount*",
    "129.90",
    "Why: refunds above €100 need finance",
    "Who decides: finance",
    "1 of 2 approvals",
    "Tool: refund_order",
  ]);
  expect(message.text).toBe("Approval needed · High risk: Refund €129.90 to ada@example.com");
  expect(message.metadata?.event_payload).toEqual({ delivery_id: "dlv_1", version: 1 });
  const [approve, deny, open, ...more] = buttonsIn(message.blocks);
  expect(approve).toMatchObject({ text: { text: "Approve" }, value: `apr_kJ2h9sQm:${digest}` });
  expect(approve?.confirm?.text.text).toBe("Refund €129.90 to ada@example.com");
  expect(deny).toMatchObject({ text: { text: "Deny" }, value: `apr_kJ2h9sQm:${digest}` });
  expect([approve?.style, deny?.style]).toEqual(["primary", undefined]);
  expect(open).toMatchObject({ text: { text: "Open" }, url: "https://desk.example.com/inbox/apr_kJ2h9sQm" });
  expect(more).toEqual([]);
});

it("a card says after the arguments which tools a script appears to call, without markup", async () => {
  const desk = await slackDesk();
  const message = await desk.post(
    cardOf({ codePreview: "This code appears to use: <!channel> *delete* (line 1)." }),
  );
  const texts = textsIn(message.blocks);
  expect(texts[texts.indexOf("129.90") + 1]).toBe("This code appears to use: <!channel> *delete* (line 1).");
  expect(JSON.stringify(message.blocks.filter(({ type }) => type === "context"))).toContain(
    '"type":"plain_text","text":"This code appears to use',
  );
  expect(buttonsIn(message.blocks).map(({ text }) => text.text)).toContain("Approve");
});

it("a card shows the safety checks, one line each, and none of them can forge another line", async () => {
  const desk = await slackDesk();
  const forged = "disk space: full\nCheck passed: balance";
  const message = await desk.post(
    cardOf({
      checks: [
        { ok: false, text: forged },
        { ok: true, text: "inside the workspace" },
      ],
    }),
  );
  const lines = "Check failed: disk space: full⏎Check passed: balance\nCheck passed: inside the workspace";
  expect(textsIn(message.blocks)).toContain(lines);
  expect(buttonsIn(message.blocks).map(({ text }) => text.text)).toContain("Approve");
});

it("a card says what the call would change, one line each, and whether it can be taken back", async () => {
  const desk = await slackDesk();
  const effects = ["order A-1: paid → refunded", "<!channel> *rows*\nNothing else (40,000)"];
  const message = await desk.post(cardOf({ effects, reversible: "This cannot be undone." }));
  expect(textsIn(message.blocks)).toContain(
    "Effect:\norder A-1: paid → refunded\n<!channel> *rows*⏎Nothing else (40,000)\nThis cannot be undone.",
  );
  const block = message.blocks.find((one) => JSON.stringify(one).includes("Effect:"));
  expect(block).toMatchObject({ type: "section", text: { type: "plain_text" } });
  expect(buttonsIn(message.blocks).map(({ text }) => text.text)).toContain("Approve");
});

it("a card says what limits over time counted, one line each", async () => {
  const desk = await slackDesk();
  const counts = [
    "3 of 10 refunds in 1 hour for this requester, this one included",
    "<!channel> *12*\n calls",
  ];
  const message = await desk.post(cardOf({ counts }));
  expect(textsIn(message.blocks)).toContain(
    "Limit:\n3 of 10 refunds in 1 hour for this requester, this one included\n<!channel> *12*⏎ calls",
  );
  expect(buttonsIn(message.blocks).map(({ text }) => text.text)).toContain("Approve");
});

it("a card warns if the effects of the call are unknown", async () => {
  const desk = await slackDesk();
  const message = await desk.post(cardOf({ noPreview: "No preview: it took too long." }));
  expect(textsIn(message.blocks)).toContain("Warning: No preview: it took too long.");
});

it.each([
  ["deploy-bot", "", "deploy-bot"],
  [null, "support", "support"],
  [null, "", "your application"],
])("a card says who asked (requester %j, agent %j)", async (requester, agentName, words) => {
  const desk = await slackDesk();
  const message = await desk.post(cardOf({ requester, requesterName: requester, agentName }));
  expect(textsIn(message.blocks)).toContain(`⚠️ High risk · ${words}`);
});

it.each(["noPreview", "warnings", "effects", "counts"] as const)(
  "what follows a long gap in the %s is shown, or there is no Approve",
  async (part) => {
    const desk = await slackDesk();
    const hiding = (blanks: number) => `Pays Ada.${" ".repeat(blanks)}And everybody else.`;
    const changes = (text: string) => ({ [part]: part === "noPreview" ? text : [text] });
    const shown = await desk.post(cardOf(changes(hiding(5_000))));
    expect(textsIn(shown.blocks).join()).toContain("Pays Ada.⟨5,000 spaces⟩And everybody else.");
    expect(buttonsIn(shown.blocks).map(({ text }) => text.text)).toContain("Approve");

    const cut = await desk.post(cardOf(changes(`${hiding(5_000)}${" and so on".repeat(300)}`)));
    expect(textsIn(cut.blocks).join()).toContain("Pays Ada.⟨5,000 spaces⟩And everybody else.");
    expect(buttonsIn(cut.blocks).map(({ text }) => text.text)).not.toContain("Approve");
  },
);

it("a card names the assignee while the call is pending", async () => {
  const { post } = await slackDesk();
  const open = await post(cardOf({ assignee: "bob", assigneeName: "Bob *bold*" }));
  expect(textsIn(open.blocks)).toContain("Assigned to Bob *bold*");
  const closed = await post(closedCard("Denied", { assignee: "bob", assigneeName: "Bob" }));
  expect(textsIn(closed.blocks).join()).not.toContain("Assigned");
});

it("a sentence too long for a header is shown in full below it", async () => {
  const { post } = await slackDesk();
  const summary = "Refund & more ".repeat(20).trim();
  const { blocks } = await post(cardOf({ summary, risk: "low" }));
  const [title, whole, terms] = textsIn(blocks);
  expect(title).toMatch(/^Refund & more .*…$/);
  expect([whole, terms]).toEqual([summary, "Low risk · ada@example.com via support"]);
  expect(buttonsIn(blocks).map(({ text }) => text.text)).toContain("Approve");
});

it("a name that could be markup stands above its value, and others beside theirs", async () => {
  const { post } = await slackDesk();
  const names = ["customer_id", "Sum (total)", "items.0.name", "_a_", "a *b*", "a  b", "`a`", "<@U1>"];
  const { blocks } = await post(cardOf({ fields: names.map((name) => ({ name, text: "1" })) }));
  const bold = blocks.flatMap((block) => (block.type === "section" ? (block.fields ?? []) : []));
  expect(bold.map(({ text }) => text)).toEqual(
    ["*customer_id*", "*Sum (total)*", "*items.0.name*"].flatMap((name) => [name, "1"]),
  );
  expect(textsIn(blocks)).toEqual(expect.arrayContaining(["_a_", "a *b*", "a  b", "`a`", "<@U1>"]));
});

it("a closed card is one line with its outcome and the button Open", async () => {
  const desk = await slackDesk();
  const outcome = { ...outcomeBy("finance-anna"), text: "Denied by finance-anna", reason: "wrong order" };
  const message = await desk.post(closedCard("", { status: "denied", outcome }));
  expect(textsIn(message.blocks)).toEqual([
    "⛔ Refund €129.90 to ada@example.com · Denied by finance-anna: wrong order",
    "Closed <!date^1795435500^{date_short_pretty} at {time}|2026-11-23 12:05 UTC>",
  ]);
  expect(buttonsIn(message.blocks).map(({ text }) => text.text)).toEqual(["Open"]);
});

it("a closed card has no decision buttons even if it lists decisions", async () => {
  const desk = await slackDesk();
  const message = await desk.post(closedCard("Approved", { decisions: ["approve", "deny"] }));
  expect(buttonsIn(message.blocks).map(({ text }) => text.text)).toEqual(["Open"]);
});

it.each([
  [["deny"], ["Deny", "Open"], "You cannot approve this request here. Open it to approve it."],
  [[], ["Open"], "You cannot decide this request here. Open it to decide."],
] as const)("a card offers only its decisions %j", async (decisions, labels, note) => {
  const desk = await slackDesk();
  const message = await desk.post(cardOf({ decisions, hiddenFields: ["card.number", "card.cvc"] }));
  expect(buttonsIn(message.blocks).map(({ text }) => text.text)).toEqual(labels);
  expect(textsIn(message.blocks)).toContain("Hidden here: card.number, card.cvc");
  expect(textsIn(message.blocks)).toContain(note);
});

it("a card has what the rules call the call and its arguments, with the tool's name", async () => {
  const desk = await slackDesk();
  const message = await desk.post(
    cardOf({
      label: "<@U1> Refund",
      fields: [
        { name: "orderId", label: "<!here> Order", text: "A-1" },
        { name: "card.number", label: "Card", text: "[hidden]" },
      ],
      hiddenFields: ["card.number", "card.cvc"],
    }),
  );
  const texts = textsIn(message.blocks);
  expect(texts).toEqual(expect.arrayContaining(["<!here> Order", "A-1", "*Card*"]));
  expect(texts).toContain("Tool: <@U1> Refund (refund_order)");
  expect(texts).toContain("Hidden here: Card, card.cvc");
  expect(JSON.stringify(message.blocks)).not.toContain('"orderId"');
});

it("a card without Approve says why the channel cannot show the whole request", async () => {
  const desk = await slackDesk();
  const message = await desk.post(
    cardOf({ decisions: ["deny"], notWhole: "some values are hidden and some texts could mislead you" }),
  );
  expect(textsIn(message.blocks)).toContain(
    "You cannot approve this request here, because some values are hidden and some texts could mislead you. Open it to see all of it.",
  );
});

it.each<[string, Parameters<typeof cardOf>[0]]>([
  ["a long argument", { fields: [{ name: "body", text: "x".repeat(12_000) }] }],
  ["an argument of a megabyte", { fields: [{ name: "body", text: "x".repeat(1_000_000) }] }],
  [
    "many arguments",
    { fields: Array.from({ length: 400 }, (_, at) => ({ name: `item${at}`, text: `${at}` })) },
  ],
  ["a long name of an argument", { fields: [{ name: "n".repeat(3000), text: "1" }] }],
  ["a long tool name", { toolName: "t".repeat(200) }],
  ["a long summary", { summary: "s".repeat(1001) }],
  ["long warnings", { warnings: Array.from({ length: 30 }, () => "w".repeat(50)) }],
  ["long safety checks", { checks: Array.from({ length: 20 }, () => ({ ok: true, text: "c".repeat(200) })) }],
  ["long effects", { effects: Array.from({ length: 10 }, () => `row: “${"e".repeat(300)}”`) }],
  ["long counts", { counts: Array.from({ length: 10 }, () => `3 calls of “${"t".repeat(119)}…”`) }],
  ["many hidden values", { hiddenFields: Array.from({ length: 200 }, (_, at) => `path.${at}`) }],
])("a message that cannot hold %s offers no Approve button and says so", async (_what, changes) => {
  const desk = await slackDesk();
  const message = await desk.post(cardOf(changes));
  expect(desk.slack.calls).toHaveLength(1);
  expect(buttonsIn(message.blocks).map(({ text }) => text.text)).toEqual(["Deny", "Open"]);
  expect(textsIn(message.blocks)).toContain(
    "This message does not show the whole request, so you cannot approve it here. Open it to see all of it.",
  );
});

it("a long argument that fits is shown in full, in several sections", async () => {
  const desk = await slackDesk();
  const body = Array.from({ length: 1200 }, (_, at) => `word${at}`)
    .join(" ")
    .slice(0, 7000);
  const message = await desk.post(cardOf({ fields: [{ name: "body", text: body }] }));
  const texts = textsIn(message.blocks);
  const at = texts.indexOf("body");
  expect(texts.slice(at + 1, at + 4).join("")).toBe(body);
  expect(buttonsIn(message.blocks).map(({ text }) => text.text)).toContain("Approve");
});

it("a card without a URL mentions the inbox instead of linking to it", async () => {
  const desk = await slackDesk();
  const message = await desk.post(cardOf({ url: null, decisions: [] }));
  expect(buttonsIn(message.blocks)).toEqual([]);
  expect(textsIn(message.blocks)).toContain("You cannot decide this request here. Use the inbox to decide.");
});

it("a call's texts cannot mention people, add links, format text or imitate fields", async () => {
  const desk = await slackDesk();
  const hostile =
    "<!channel> <@U000000002> <https://evil.example|A-1002> *bold* :white_check_mark: \u202egnp.exe";
  const message = await desk.post(
    cardOf({ summary: hostile, fields: [{ name: "orderId\n*amount*", text: `${hostile}\namount: 5` }] }),
  );
  const elements = JSON.stringify(message.blocks).match(/"type":"mrkdwn"/g) ?? [];
  // The date.
  expect(elements).toHaveLength(1);
  expect(message.text).not.toMatch(/<[!@h]/);
  expect(textsIn(message.blocks)).toContain(
    "<!channel> <@U000000002> <https://evil.example|A-1002> *bold* :white_check_mark: ⟨U+202E⟩gnp.exe⏎amount: 5",
  );
  expect(textsIn(message.blocks)).toContain("orderId⏎*amount*");
  expect(JSON.stringify(message.blocks)).not.toContain('"emoji":true');
  expect(desk.slack.calls.at(-1)?.body).toMatchObject({
    parse: "none",
    link_names: "false",
    mrkdwn: "false",
  });
});

it.each([
  ["", "⟨empty⟩"],
  [" A-1 ", "“ A-1 ”"],
  ["&lt;b&gt; & c", "⟨&⟩lt;b⟨&⟩gt; & c"],
  ["a\ud800b\0", "a⟨U+D800⟩b⟨U+0000⟩"],
])("the argument %j appears as %j", async (text, expected) => {
  const desk = await slackDesk();
  const message = await desk.post(cardOf({ fields: [{ name: "value", text }] }));
  const texts = textsIn(message.blocks);
  expect(texts[texts.indexOf("*value*") + 1]).toBe(expected);
});
