import { describe, expect, it } from "vitest";
import { bookingRule, openBookingDesk } from "../../support/booking-desk.js";
import { freshPostgres } from "../../support/databases.js";
import { eventually } from "../../support/harness.js";
import { buttonsIn, textsIn } from "../../support/slack/people.js";
import type { SlackMessage } from "../../support/slack/workspace.js";
import { type Card, cardOf, closedCard, digest, slackDesk } from "./slack-desk.js";

const undo: NonNullable<Card["undo"]> = {
  ...{ text: "It can be undone for 10 minutes after it ran.", within: "10m" },
  ...{ until: new Date("2026-11-23T12:15:00Z"), possible: true, offered: true, undoId: null, undoneAt: null },
};

/** The card of a call that ran and may be undone. */
const ran = (changes: Partial<Card> = {}, its: Partial<typeof undo> = {}): Card =>
  closedCard("Approved by finance-anna. It ran", {
    status: "executed",
    undo: { ...undo, ...its },
    ...changes,
  });

const labelsOf = ({ blocks }: Pick<SlackMessage, "blocks">) => buttonsIn(blocks).map(({ text }) => text.text);
const until = "May be undone until <!date^1795436100^{date_short_pretty} at {time}|2026-11-23 12:15 UTC>";

describe("the card of a call that may be undone", () => {
  it("says for how long before it has run, and until when afterwards, with a button that asks back", async () => {
    const { post } = await slackDesk();
    const waiting = await post(cardOf({ undo: { ...undo, until: null, possible: false, offered: false } }));
    expect(textsIn(waiting.blocks)).toContain("It can be undone for 10 minutes after it ran.");
    expect(labelsOf(waiting)).toEqual(["Approve", "Deny", "Open"]);

    const message = await post(ran());
    expect(textsIn(message.blocks)).toContain(until);
    const [button] = buttonsIn(message.blocks);
    expect(button).toMatchObject({ text: { text: "Undo" }, value: `apr_kJ2h9sQm:${digest}` });
    expect(button?.confirm).toMatchObject({
      title: { text: "Undo this request?" },
      text: { text: "Refund €129.90 to ada@example.com" },
    });
    expect(textsIn((await post(ran({}, { until: null }))).blocks)).toContain("May be undone at any time");
  });

  it("loses its button when the time is over, and when the call is undone", async () => {
    const { post } = await slackDesk();
    const late = await post(ran({}, { possible: false, offered: false }));
    expect([labelsOf(late), textsIn(late.blocks).includes(until)]).toEqual([["Open"], false]);
    const at = new Date("2026-11-23T12:10:00Z");
    const outcome = {
      ...closedCard("").outcome,
      text: "Approved by finance-anna. It ran. Undone by Ada",
      at,
    };
    const undone = await post(
      ran({ outcome } as Partial<Card>, { until: null, possible: false, offered: false, undoneAt: at }),
    );
    expect(labelsOf(undone)).toEqual(["Open"]);
    expect(textsIn(undone.blocks)).toEqual([
      "↩️ Refund €129.90 to ada@example.com · Approved by finance-anna. It ran. Undone by Ada",
      "Undone <!date^1795435800^{date_short_pretty} at {time}|2026-11-23 12:10 UTC>",
    ]);
  });

  it.each([
    ["the rules do not let people decide here", ran({}, { offered: false })],
    [
      "the message does not show the whole call",
      ran({ fields: [{ name: "note", text: "x".repeat(20_000) }] }),
    ],
  ])("has no button if %s, and says where to undo it", async (_case, card) => {
    const { post } = await slackDesk();
    const message = await post(card);
    expect(labelsOf(message)).toEqual(["Open"]);
    expect(textsIn(message.blocks)).toContain("You cannot undo this request here. Open it to undo it.");
  });

  it("says that nobody was asked about a call that the policy only reports", async () => {
    const { post } = await slackDesk();
    const message = await post(ran({ verdict: "notify" }));
    expect(textsIn(message.blocks)).toEqual(
      expect.arrayContaining([expect.stringContaining(" · Nobody was asked. "), until]),
    );
  });

  it("of an undo says which call it undoes, without markup", async () => {
    const { post } = await slackDesk();
    const undoes = { approvalId: "apr_1", text: "Undoes the request apr_1 (refund_order). <!channel> asked" };
    const message = await post(cardOf({ undoes }));
    expect(textsIn(message.blocks)).toContain(undoes.text);
    expect(message.blocks).toContainEqual(
      expect.objectContaining({ type: "section", text: expect.objectContaining({ type: "plain_text" }) }),
    );
  });
});

describe("the Undo button", () => {
  it("undoes the call of its message in the name of the person who pressed it", async () => {
    const { post, slack, receive, anna, gate } = await slackDesk();
    const message = await post(ran());
    expect((await receive(slack.people.press(anna, "Undo", message))).status).toBe(200);
    const principal = expect.objectContaining({ id: "finance-anna", tenantId: "acme" });
    expect(gate.undone).toEqual([{ principal, approvalId: "apr_kJ2h9sQm", digest }]);
    expect(gate.asked).toEqual([]);
    expect(slack.workspace.ephemerals).toEqual([]);
  });

  it("does nothing for a person whom the host does not know", async () => {
    const { post, slack, receive, finance, gate } = await slackDesk();
    const stranger = slack.workspace.addUser({ channels: [finance] }).id;
    await receive(slack.people.press(stranger, "Undo", await post(ran())));
    expect(gate.undone).toEqual([]);
    expect(slack.workspace.ephemerals).toMatchObject([
      { user: stranger, text: expect.stringMatching(/not linked/) },
    ]);
  });

  it("updates a message whose time is over, and tells the person", async () => {
    const { post, slack, receive, anna, gate } = await slackDesk();
    const message = await post(ran());
    gate.present = ran({ version: 10 }, { possible: false, offered: false });
    const refusal = { code: "not_undoable", message: "The time to undo this call is over." };
    gate.undo = async () => ({ ok: false, ...refusal, card: gate.present });
    await receive(slack.people.press(anna, "Undo", message));
    expect(slack.workspace.ephemerals).toMatchObject([
      { user: anna, text: "The time to undo this call is over. Approved by finance-anna. It ran." },
    ]);
    expect(labelsOf(message)).toEqual(["Open"]);
  });

  it.each([
    [
      cardOf({ quorum: { required: 2, approved: 1 } }),
      "The undo waits for a decision by finance. 1 of 2 approvals.",
    ],
    [
      closedCard("Denied by the policy", { status: "denied" }),
      "This request is not undone. Denied by the policy.",
    ],
  ])("tells the person if the undo does not run at once (%#)", async (its, text) => {
    const { post, slack, receive, anna, gate } = await slackDesk();
    const message = await post(ran());
    gate.undo = async () => ({ ok: true, card: gate.present, undo: its });
    await receive(slack.people.press(anna, "Undo", message));
    expect(slack.workspace.ephemerals).toMatchObject([{ user: anna, text }]);
  });

  it("asks to try again if the undo could not be requested", async () => {
    const { post, slack, receive, anna, gate, logged } = await slackDesk();
    gate.undo = () => Promise.reject(new Error("database"));
    await receive(slack.people.press(anna, "Undo", await post(ran())));
    expect(slack.workspace.ephemerals).toMatchObject([{ text: expect.stringContaining("Try again") }]);
    expect(logged.join()).toContain("an undo from Slack failed");
    expect(logged.join()).not.toContain("database");
  });
});

const slackRule = { ...bookingRule, notify: ["slack"], decideIn: ["inbox", "slack"] };
const undoRule = { tools: "book.undo", verdict: "ask", notify: ["slack"], decideIn: ["inbox", "slack"] };

/** A desk whose bookings are reported in Slack. */
async function openWorld(
  database: Awaited<ReturnType<typeof freshPostgres>>,
  rules: readonly object[] = [slackRule, undoRule],
) {
  const slack = await slackDesk({ channel: "#finance" });
  const desk = await openBookingDesk(database, {
    rules,
    countersign: { channels: [slack.channel], inboxUrl: "https://desk.example.com/inbox" },
  });
  const { messages, ephemerals } = slack.slack.workspace;
  const { book } = desk;
  return Object.assign(desk, {
    messages,
    ephemerals,
    /** A card that nobody has seen while the call waited is never posted. */
    book: (order: string) => book(order, undefined, () => eventually(async () => messages[0], "the card")),
    /** Waits until the message number `at` has this text. */
    shows: (at: number, text: string | RegExp) =>
      eventually(async () => {
        const message = messages[at];
        const isThere = textsIn(message?.blocks ?? []).some((line) =>
          typeof text === "string" ? line === text : text.test(line),
        );
        return isThere ? message : undefined;
      }, `message ${at} shows ${text}`),
    press: (label: string, message: SlackMessage, showing = message.blocks) =>
      desk.countersign.receive(
        "slack",
        slack.slack.people.press(slack.anna, label, message, showing).toRequest(),
      ),
  });
}

describe("an undo in Slack", () => {
  it("runs with the approval of the person who pressed Undo, and the card shows it", async () => {
    await using database = await freshPostgres();
    await using desk = await openWorld(database);
    const { call } = await desk.book("A-1");
    const message = await desk.shows(0, /^May be undone until/);
    await desk.press("Undo", message);
    const shown = await desk.shows(0, /^↩️ .* · Approved by finance\. It ran\. Undone by finance-anna$/);
    expect(labelsOf(shown)).toEqual(["Open"]);
    expect(desk.cancelled).toHaveLength(1);
    const { undoId } = await desk.row(call.id);
    const trail = await desk.store.auditTrail("acme", undoId ?? "");
    expect(trail.find(({ type }) => type === "approval.approved")).toMatchObject({
      actorId: "finance-anna",
      data: { via: "slack" },
    });
    expect(desk.ephemerals).toEqual([]);
  });

  it("is offered for a call that ran without a question", async () => {
    await using database = await freshPostgres();
    await using desk = await openWorld(database, [{ ...slackRule, verdict: "notify" }, undoRule]);
    await desk.book("A-1");
    const message = await desk.shows(0, /^May be undone until/);
    expect(textsIn(message.blocks)).toContainEqual(expect.stringContaining(" · Nobody was asked. "));
    await desk.press("Undo", message);
    await desk.shows(0, /^↩️ /);
  });

  it("waits for others with a card of its own, if the rules name others", async () => {
    await using database = await freshPostgres();
    const lead = { approvers: { roles: ["lead"] } };
    await using desk = await openWorld(database, [slackRule, { ...undoRule, ...lead }]);
    await desk.book("A-1");
    const message = await desk.shows(0, /^May be undone until/);
    await desk.press("Undo", message);
    expect(desk.ephemerals).toMatchObject([{ text: "The undo waits for a decision by lead." }]);
    expect(textsIn(message.blocks)).toContainEqual(
      expect.stringContaining("Approved by finance. It ran. finance-anna asked to undo it"),
    );
    await desk.shows(1, /^Undoes the request apr_\S+ \(book\)\. finance-anna asked for it$/);
    expect(desk.cancelled).toEqual([]);
  });

  it("is refused when its time is over, and the button goes", async () => {
    await using database = await freshPostgres();
    await using desk = await openWorld(database);
    await desk.book("A-1");
    const message = await desk.shows(0, /^May be undone until/);
    desk.clock.advance(11 * 60_000);
    await desk.press("Undo", message);
    expect(desk.ephemerals).toMatchObject([
      { text: expect.stringMatching(/^The time to undo this call is over\./) },
    ]);
    expect(labelsOf(message)).toEqual(["Open"]);
    expect(desk.cancelled).toEqual([]);
  });

  it("is not offered where a value of the call is hidden, and an old button cannot undo it", async () => {
    await using database = await freshPostgres();
    await using desk = await openWorld(database, [{ ...slackRule, redact: ["order"] }, undoRule]);
    await using other = await openWorld(await freshPostgres());
    const { call } = await desk.book("A-1");
    const message = await desk.shows(0, "You cannot undo this request here. Open it to undo it.");
    expect(labelsOf(message)).toEqual(["Open"]);
    await other.book("A-2");
    const forged = await other.shows(0, /^May be undone until/);
    const blocks = JSON.parse(
      JSON.stringify(forged.blocks).replace(/apr_[^:"]+:[0-9a-f]+/g, `${call.id}:${call.digest}`),
    );
    await desk.press("Undo", message, blocks);
    expect(desk.ephemerals).toMatchObject([
      { text: expect.stringContaining("This place cannot show the whole request") },
    ]);
    expect(await desk.row(call.id)).toMatchObject({ undoId: null });
  });
});
