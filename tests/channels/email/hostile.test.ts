import { email } from "@countersign/channels/email";
import type { Card } from "countersign/types";
import { describe, expect, it } from "vitest";
import { exampleCard, exampleDelivery } from "../../support/example-delivery.js";
import { openMailServer } from "./mail-server.js";

const inbox = "https://desk.example.com/inbox/approvals/apr_1?a=1&b=2";

async function mailOf(card: Partial<Card>, label = "finance@example.com") {
  await using server = await openMailServer();
  const channel = email({
    transport: server.url,
    from: '"Approvals, \\"the\\" desk" <approvals@example.com>',
    recipients: { default: "finance@example.com" },
  });
  const recipient = { id: "finance@example.com", label };
  const delivery = exampleDelivery({ recipient, card: exampleCard({ url: inbox, ...card }) });
  expect(await channel.send(delivery, new AbortController().signal)).toMatchObject({ ok: true });
  const [arrived] = server.arrived;
  if (!arrived || server.arrived.length > 1) throw new Error("not one mail");
  return arrived;
}

const injections = [
  "x\r\nBcc: eve@evil.example",
  "x\nBcc: eve@evil.example\n\nOther body",
  "x\rBcc: eve@evil.example",
  "x\u2028Bcc: eve@evil.example",
  "x\0\r\n.\r\nMAIL FROM:<eve@evil.example>",
  "=?utf-8?Q?x=0D=0ABcc:_eve=40evil.example?=",
];

describe("a mail about a call with hostile texts", () => {
  it.each(injections)("has no further header or recipient (%#)", async (text) => {
    const { mail, to, raw } = await mailOf({ summary: text, toolName: text, agentName: text }, text);
    expect(to).toEqual(["finance@example.com"]);
    expect([mail.bcc, mail.cc]).toEqual([undefined, undefined]);
    const headers = raw.slice(0, raw.indexOf("\r\n\r\n"));
    expect(headers).not.toMatch(/^(bcc|mail from)/im);
    expect([...mail.headers.keys()].sort()).toEqual([
      "auto-submitted",
      "content-type",
      "date",
      "from",
      "message-id",
      "mime-version",
      "subject",
      "to",
      "x-auto-response-suppress",
    ]);
    expect(mail.to).toMatchObject({ value: [{ address: "finance@example.com" }] });
    expect(mail.from).toMatchObject({ value: [{ address: "approvals@example.com" }] });
  });

  it("shows invisible characters in its subject, which is shortened", async () => {
    const { mail } = await mailOf({ summary: `Refund\u202e ${"😀".repeat(200)}\nAda` });
    expect(mail.subject).toMatch(/^Approval needed: Refund⟨U\+202E⟩ (😀)+…$/u);
    expect(String(mail.subject).length).toBeLessThanOrEqual(140);
  });

  it("escapes the texts in HTML", async () => {
    const text = `</td></table><script>alert(1)</script><img src=x onerror=alert(1)><a href='x'>"&amp;`;
    const { mail } = await mailOf({
      summary: text,
      requester: text,
      reasons: [text],
      fields: [{ name: text, text }],
      hiddenFields: [text],
      warnings: [text],
      requesterName: text,
      assigneeName: text,
      whoDecides: text,
      outcome: { text, decidedBy: text, by: text, votes: [], reason: text, at: new Date(0) },
    });
    expect(mail.html).not.toMatch(/<(script|img|td><)/i);
    expect(String(mail.html).match(/<a /g)).toHaveLength(1);
    expect(mail.html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(mail.html).toContain("&quot;&amp;amp;");
  });

  it("links only to the inbox, whatever addresses the texts contain", async () => {
    const text =
      "Approve at https://evil.example/approve?x=1, www.evil.example, evil.example or ftp://evil.example";
    const { mail } = await mailOf({
      summary: text,
      requester: "evil.example",
      fields: [{ name: "evil.example", text }],
    });
    const links = (part: string) => part.match(/[a-z]+:\/\/[^\s"'<>]+/gi);
    expect(links(String(mail.text))).toEqual([inbox]);
    expect(links(String(mail.html).replaceAll("&amp;", "&"))).toEqual([inbox]);
    expect(`${mail.subject}${mail.text}${mail.html}`).not.toContain("evil.example");
    expect(mail.text).toContain("https[:]//evil[.]example/approve?x=1, www[.]evil[.]example");
  });

  it("names arguments by their paths, as the inbox does, and makes links of neither paths nor values", async () => {
    const warning =
      "customer.email has “аpple.com” with letters from different alphabets that looks like “apple.com”";
    const { mail } = await mailOf({
      fields: [{ name: "customer.email", text: "ada@evil.example" }],
      hiddenFields: ["customer.card.number", "evil.com"],
      warnings: [warning],
    });
    for (const part of [mail.text, mail.html]) {
      const seen = String(part).replaceAll("\u200c", "");
      expect(seen).toContain("Warning: customer.email has “аpple[.]com”");
      expect(seen).toContain("that looks like “apple[.]com”");
      expect(seen).toContain("Hidden: customer.card.number, evil.com");
      expect(seen).toContain("ada@evil[.]example");
      expect(part).not.toMatch(/customer\.email|card\.number|evil\.com/);
    }
    expect(String(mail.text).replaceAll("\u200c", "")).toContain("  customer.email: ada@evil[.]example\n");
  });

  it("shows what the rules call the call and its arguments as text", async () => {
    const { mail } = await mailOf({
      label: "<b>Pay evil.example",
      fields: [
        { name: "customer.email", label: "<i>Email evil.example", text: "ada@shop.example" },
        { name: "card.number", label: "Card", text: "[hidden]" },
      ],
      hiddenFields: ["card.number", "card.cvc"],
    });
    const text = String(mail.text).replaceAll("\u200c", "");
    expect(text).toContain("  <i>Email evil[.]example: ada@shop[.]example\n");
    expect(text).toContain("Hidden: Card, card.cvc");
    expect(text).toMatch(/Tool: <b>Pay evil\[\.\]example \(\w+\)/);
    expect(mail.html).toContain("&lt;i&gt;Email");
    expect(mail.html).not.toMatch(/<i>|<b>Pay|evil\.example/);
  });

  it("loads nothing from elsewhere", async () => {
    const { mail } = await mailOf({});
    expect(mail.html).not.toMatch(/\bsrc\s*=|url\(|<link|<style|@import|<iframe|<form|<script|<img/i);
  });

  it("keeps line breaks in arguments from imitating its own lines", async () => {
    const { mail } = await mailOf({
      fields: [{ name: "memo", text: "a\nApproved by finance\r\n.\r\n  Why: low risk" }],
    });
    expect(mail.text).toContain("  memo: a\n    Approved by finance\n    .\n      Why: low risk\n");
    expect(mail.text?.match(/^ {0,3}Why: /gm)).toHaveLength(1);
  });
});
