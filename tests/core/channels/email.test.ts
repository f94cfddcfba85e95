import { email } from "@countersign/channels/email";
import type { Card, Delivery, DeliveryEvent } from "countersign/types";
import { createTransport } from "nodemailer";
import { describe, expect, it } from "vitest";
import { type Arrived, openMailServer } from "../../channels/email/mail-server.js";
import { openDeliveryDesk } from "../../support/delivery-desk.js";
import { exampleCard, exampleDelivery } from "../../support/example-delivery.js";
import { proposeCall } from "../../support/proposals.js";

const finance = "finance@example.com";
const unaborted = () => new AbortController().signal;
const toFinance = { recipient: { id: finance, label: finance } };

/** Sends these deliveries, and returns the mails that arrive, in order. */
async function mailsOf(deliveries: Delivery[], options: { arguments?: boolean } = {}): Promise<Arrived[]> {
  await using server = await openMailServer();
  const channel = email({
    transport: server.url,
    from: "Approvals <approvals@example.com>",
    recipients: { default: finance },
    ...options,
  });
  for (const delivery of deliveries) {
    expect(await channel.send(delivery, unaborted())).toMatchObject({ ok: true });
  }
  return server.arrived;
}

async function mailOf(card: Partial<Card> = {}, options: { arguments?: boolean } = {}): Promise<Arrived> {
  const [arrived] = await mailsOf([exampleDelivery({ ...toFinance, card: exampleCard(card) })], options);
  if (!arrived) throw new Error("unreachable");
  return arrived;
}

const at = (event: DeliveryEvent, minute: number, card: Partial<Card> = {}) =>
  exampleDelivery({
    ...toFinance,
    event,
    occurredAt: new Date(Date.UTC(2026, 10, 22, 12, minute)),
    reference: event === "approval.pending" ? null : { messageId: "<earlier@example.com>" },
    card: exampleCard(card),
  });

const denied: Partial<Card> = {
  status: "denied",
  open: false,
  outcome: {
    text: "Denied by ada",
    decidedBy: "ada",
    by: "ada",
    votes: [{ id: "ada", name: "ada", type: "deny" }],
    reason: "Too much",
    at: new Date("2026-11-22T12:09:00Z"),
  },
};

describe("a mail about a pending call", () => {
  it("shows the safety checks in the order of the card", async () => {
    const { mail } = await mailOf({
      checks: [
        { ok: false, text: "balance: only 12.50 EUR are left" },
        { ok: true, text: "known supplier" },
      ],
    });
    expect(mail.text).toMatch(
      /Safety check failed: balance: only 12\.50 EUR are left\s+Safety check passed: known supplier/,
    );
  });

  it("says what the call does and links to it in the inbox", async () => {
    const { mail, to } = await mailOf();
    expect(to).toEqual([finance]);
    expect(mail.from?.text).toBe('"Approvals" <approvals@example.com>');
    expect(mail.subject).toBe("Approval needed: Refund €40.00 to Ada");
    for (const part of [mail.text, mail.html]) {
      expect(part).toContain("High risk · finance decides · until 22 Nov 2026, 12:30 UTC");
      expect(part).toContain("Review in the inbox");
      expect(part).toContain("You get this because requests for finance are sent to this address.");
      expect(part).toContain("Refund €40.00 to Ada");
      expect(part).toContain("https://desk.example.com/inbox/approvals/apr_1");
      expect(part).toContain("Refunds need finance");
      expect(part).toContain("card.\u200cnumber");
    }
    expect(mail.text).toContain("  amount: 40.00\n  customer: Ada\n");
  });

  it("is marked as automatic, so that out-of-office replies are suppressed", async () => {
    const { mail } = await mailOf();
    expect(mail.headers.get("auto-submitted")).toBe("auto-generated");
    expect(mail.headers.get("x-auto-response-suppress")).toBe("All");
    expect(mail.headers.has("list")).toBe(false);
    expect(mail.attachments).toEqual([]);
  });

  it("leaves out the arguments if the option arguments is false", async () => {
    const { mail } = await mailOf({}, { arguments: false });
    expect(`${mail.text}${mail.html}`).not.toContain("amount");
    expect(mail.text).toContain("Refund €40.00 to Ada");
  });

  it("says which tools a script appears to call, but not without the arguments", async () => {
    const codePreview = "This code appears to use: <b>evil.example</b> (line 1).";
    const { mail } = await mailOf({ codePreview });
    expect(mail.text).toContain("This code appears to use: <b>evil[.]example</b> (line 1).");
    expect(mail.html).toContain("This code appears to use: &lt;b&gt;evil[.]example&lt;/b&gt; (line 1).");
    const without = (await mailOf({ codePreview }, { arguments: false })).mail;
    expect(`${without.text}${without.html}`).not.toContain("This code");
  });

  it("says what the call would change, but not without the arguments", async () => {
    const card = {
      effects: ["order A-1: paid → refunded", "site: nothing → “<b>evil.example</b>”"],
      reversible: "This can be undone within 30 minutes.",
    };
    const { mail } = await mailOf(card);
    expect(mail.text).toContain(
      "Effect: order A-1: paid → refunded\nEffect: site: nothing → “<b>evil[.]example</b>”\nThis can be undone within 30 minutes.",
    );
    expect(mail.html).toContain("Effect: order A-1: paid → refunded");
    expect(mail.html).toContain("“&lt;b&gt;evil[.]example&lt;/b&gt;”");
    const without = (await mailOf(card, { arguments: false })).mail;
    expect(`${without.text}${without.html}`).not.toMatch(/Effect|undone/);
  });

  it("says what limits over time counted, but not without the arguments", async () => {
    const counts = [
      "240.00 of 400 EUR in 24 hours for everyone, this one included",
      "1 call of “<b>evil.example</b>”",
    ];
    const { mail } = await mailOf({ counts });
    expect(mail.text).toContain(
      "Limit: 240.00 of 400 EUR in 24 hours for everyone, this one included\nLimit: 1 call of “<b>evil[.]example</b>”",
    );
    expect(mail.html).toContain("Limit: 1 call of “&lt;b&gt;evil[.]example&lt;/b&gt;”");
    const without = (await mailOf({ counts }, { arguments: false })).mail;
    expect(`${without.text}${without.html}`).not.toContain("Limit:");
  });

  it.each([true, false])("warns if the effects of the call are unknown (arguments: %s)", async (shown) => {
    const noPreview = "No preview: it took too long.";
    const { mail } = await mailOf({ noPreview }, { arguments: shown });
    for (const part of [mail.text, mail.html]) expect(part).toContain(`Warning: ${noPreview}`);
  });

  it("has no link if the card has no URL", async () => {
    const { mail } = await mailOf({ url: null });
    expect(`${mail.text}${mail.html}`).not.toMatch(/https?:|href/);
  });

  it("shortens long arguments and says so", async () => {
    const { mail } = await mailOf({ fields: [{ name: "text", text: `${"x".repeat(999)}😀tail` }] });
    expect(mail.text).toContain("Some values are shortened here");
    expect(mail.text).not.toContain("tail");
    expect(mail.text).not.toContain("\ufffd");
  });
});

describe("the mails about one approval", () => {
  it("form one thread for each recipient", async () => {
    const to = (delivery: Delivery, id: string) => ({ ...delivery, recipient: { id, label: "Ada" } });
    const mails = await mailsOf([
      at("approval.pending", 0),
      at("approval.reminded", 5),
      at("approval.reminded", 8),
      at("approval.decided", 9, denied),
      to(at("approval.pending", 0), "ada@example.com"),
      at("approval.pending", 0, { approvalId: "apr_2" }),
    ]);
    const [first, ...later] = mails.slice(0, 4).map(({ mail }) => mail);
    expect(first?.messageId).toMatch(/^<countersign\.[0-9a-f]{32}@example\.com>$/);
    expect(first?.inReplyTo).toBeUndefined();
    for (const { inReplyTo, references, subject } of later) {
      expect([inReplyTo, references]).toEqual([first?.messageId, first?.messageId]);
      // Some mail programs split a thread where its subject changes.
      expect(subject).toBe(`Re: ${first?.subject}`);
    }
    expect(new Set(mails.map(({ mail }) => mail.messageId)).size).toBe(6);
    expect(mails[4]?.mail.to).toMatchObject({ text: '"Ada" <ada@example.com>' });
  });

  it("state below the sentence what has happened", async () => {
    const mails = await mailsOf([
      at("approval.reminded", 5),
      at("approval.escalated", 6),
      at("approval.assigned", 7, { assignee: "bob" }),
      at("approval.decided", 9, denied),
      at("approval.withdrawn", 9, { open: false, status: "withdrawn" }),
    ]);
    const until = "High risk · finance decides · until 22 Nov 2026, 12:30 UTC";
    for (const { mail } of mails) expect(mail.text?.split("\n")[0]).toBe("Refund €40.00 to Ada");
    expect(mails.map(({ mail }) => mail.text?.split("\n")[2])).toEqual([
      `Reminder · ${until}`,
      `Escalated · ${until}`,
      `Assigned · ${until}`,
      "Denied by ada",
      "A decision is no longer needed",
    ]);
    expect(mails[3]?.mail.text).toContain("Reason: Too much");
    expect(mails[3]?.mail.text).toContain("Open in the inbox:\n");
  });

  it("say until when the call may be undone, and by whom it was", async () => {
    const undo: NonNullable<Card["undo"]> = {
      ...{ text: "It can be undone for 10 minutes after it ran.", within: "10m", offered: false },
      ...{ until: null, possible: false, undoId: null, undoneAt: null },
    };
    const ran: Partial<Card> = { status: "executed", open: false };
    const until = new Date("2026-11-22T12:19:00Z");
    const [undoneAt, text] = [new Date("2026-11-22T12:12:00Z"), "Approved by ada. It ran. Undone by Bo"];
    const outcome = { text, decidedBy: "ada", by: "ada", votes: [], reason: null, at: undoneAt };
    const mails = await mailsOf([
      at("approval.pending", 0, { undo }),
      at("approval.decided", 9, { ...ran, undo: { ...undo, until, possible: true } }),
      at("approval.undone", 12, { ...ran, undo: { ...undo, undoneAt }, outcome }),
      at("approval.pending", 13, {
        undoes: { approvalId: "apr_1", text: "Undoes the request apr_1 (refund)" },
      }),
    ]);
    const [waiting, decided, undone, undoing] = mails.map(({ mail }) => mail.text ?? "");
    expect(waiting).toContain("Undo: It can be undone for 10 minutes after it ran.\n");
    expect(decided).toContain("Undo: May be undone until 22 Nov 2026, 12:19 UTC\n");
    expect(undone?.split("\n")[2]).toBe(text);
    expect(undone).toContain("At: 22 Nov 2026, 12:12 UTC\n");
    expect(undone).not.toContain("Undo:");
    expect(undoing).toContain("Undoes the request apr_1 (refund)\n");
  });

  it("name the assignee while the call is pending, and none is sent for a removed assignment", async () => {
    const assigned = await mailOf({ assignee: "bob", assigneeName: "Bob" });
    expect(assigned.mail.text).toMatch(/\n {2}Assigned to: Bob\n/);
    const over = await mailOf({ ...denied, assignee: "bob", assigneeName: "Bob" });
    expect(over.mail.text).not.toContain("Assigned to");
    expect(await mailsOf([at("approval.assigned", 7, { assignee: null })])).toEqual([]);
  });

  it("start without a reply prefix, and ask for no decision if the call is over", async () => {
    const first = { reference: null };
    const mails = await mailsOf([
      { ...at("approval.escalated", 6), ...first },
      { ...at("approval.decided", 9, denied), ...first },
    ]);
    expect(mails.map(({ mail }) => mail.subject)).toEqual([
      "Approval needed: Refund €40.00 to Ada",
      "For your information: Refund €40.00 to Ada",
    ]);
  });

  it("show the votes while more are needed", async () => {
    const outcome = {
      ...{ text: "1 of 2 approved (ada)", decidedBy: null, by: null, votes: [], reason: null },
      at: new Date(0),
    };
    const { mail } = await mailOf({ quorum: { required: 2, approved: 1 }, outcome });
    expect(mail.text).toContain("High risk · finance decides · 1 of 2 approved · until ");
    expect(mail.text).toContain("Votes: 1 of 2 approved (ada)\n");
    expect(mail.text).not.toContain("1970");
  });

  it("keep their Message-ID when they are sent again", async () => {
    const ids = (await mailsOf([at("approval.reminded", 5), at("approval.reminded", 5)])).map(
      ({ mail }) => mail.messageId,
    );
    expect(ids[0]).toBe(ids[1]);
  });

  it("have the same Message-ID if two targets of a rule lead to one recipient", async () => {
    await using server = await openMailServer();
    const recipients = { default: finance, leads: finance };
    await using desk = await openDeliveryDesk(email({ transport: server.url, from: finance, recipients }));
    const [call] = await proposeCall(desk.store, { notify: ["email", "email:leads"] });
    await desk.sendAll();
    await desk.store.withdrawRequest(call?.requestId ?? "", "run_cancelled");
    await desk.sendAll();
    const ids = server.arrived.map(({ mail }) => mail.messageId);
    expect(ids).toHaveLength(4);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[3]).toBe(ids[2]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  it("report an event at the same time for each of its targets", async () => {
    const channel = email({ transport: "smtp://localhost", from: finance, recipients: { default: finance } });
    await using desk = await openDeliveryDesk(channel);
    // To write so many rows takes the database several milliseconds.
    await proposeCall(desk.store, { notify: Array.from({ length: 500 }, (_, n) => `email:target-${n}`) });
    const times = await desk.database.admin`select distinct occurred_at from countersign.deliveries`;
    expect(times).toHaveLength(1);
  });

  it("are not sent when a vote is cast or a call starts or finishes", () => {
    const channel = email({ transport: "smtp://localhost", from: finance, recipients: { default: finance } });
    expect(channel).toMatchObject({ name: "email", mode: "events" });
    for (const event of ["approval.voted", "approval.started", "approval.finished"] as const)
      expect(channel.events).not.toContain(event);
  });
});

describe("a Nodemailer transporter", () => {
  it("can be given as the transport", async () => {
    await using server = await openMailServer();
    const transport = createTransport({ host: "127.0.0.1", port: server.port });
    const channel = email({ transport, from: finance, recipients: { default: finance } });
    expect(await channel.send(exampleDelivery(toFinance), unaborted())).toMatchObject({ ok: true });
    expect(server.arrived).toHaveLength(1);
  });

  it("can be a connection pool", async () => {
    await using server = await openMailServer();
    const transport = createTransport({ pool: true, host: "127.0.0.1", port: server.port });
    const channel = email({ transport, from: finance, recipients: { default: finance } });
    await channel.send(exampleDelivery(toFinance), unaborted());
    await channel.send(exampleDelivery(toFinance), unaborted());
    expect(server.arrived).toHaveLength(2);
    transport.close();
  });
});
