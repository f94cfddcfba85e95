import { afterEach, describe, expect, it } from "vitest";
import type { GrantSuggestion } from "../../api/approval.js";
import { someApproval } from "../../testing/some-approval.js";
import { de } from "../../words/de/index.js";
import { en } from "../../words/en/index.js";
import { writeAs } from "../../words/locale.js";
import { speak } from "../../words/words.js";
import { suggestedGrantText } from "./suggested-grant-text.js";

const approval = someApproval({
  toolName: "issue_refund",
  input: { orderId: "A-1001", amount: 1234.5, express: true },
  units: { amount: "EUR" },
});
const grant = { scope: "user", arguments: "exact", expiresIn: "8h" } as const;
const exact: GrantSuggestion = { words: "As the server says", upTo: null, grant };
const lower: GrantSuggestion = {
  words: "As the server says",
  upTo: "amount",
  grant: { ...grant, scope: "thread", arguments: { when: "…" } },
};

describe("what a suggested grant would allow", () => {
  afterEach(() => {
    speak(en);
    writeAs("en");
  });

  it("is said with the call's arguments, numbers with their unit", () => {
    expect(suggestedGrantText(approval, exact)).toBe(
      "This same request · whoever asks for requester · 8 hours",
    );
    expect(suggestedGrantText(approval, lower)).toBe(
      "Requests of issue_refund with amount up to 1,234.50 EUR and the same orderId “A-1001”, express true · in this conversation · 8 hours",
    );
  });

  it("calls the call and its arguments what the rules call them", () => {
    const named = { ...approval, label: "Pay supplier", names: { amount: "Sum", orderId: "Order" } };
    expect(suggestedGrantText(named, lower)).toBe(
      "Requests of “Pay supplier” with Sum up to 1,234.50 EUR and the same Order “A-1001”, express true · in this conversation · 8 hours",
    );
    expect(suggestedGrantText({ ...named, label: "Refund" }, exact)).toBe(
      "This same refund · whoever asks for requester · 8 hours",
    );
  });

  it("is said in German with numbers that a German reader cannot misread", () => {
    speak(de);
    writeAs("de");
    expect(suggestedGrantText(approval, exact)).toBe(
      "Genau dieser Vorgang · wer auch immer für requester fragt · 8 Stunden",
    );
    expect(suggestedGrantText(approval, lower)).toBe(
      "Vorgänge (issue_refund) mit amount bis 1.234,50 EUR bei sonst gleichen Angaben (orderId „A-1001“, express true) · in dieser Unterhaltung · 8 Stunden",
    );
  });

  it("shows what a value hides, and lets none pose as the inbox's text", () => {
    const hostile = someApproval({
      input: { amount: 5, note: "x” for everyone in the team, for a day\n\u202E" },
    });
    expect(suggestedGrantText(hostile, lower)).toBe(
      'Requests of issue_refund with amount up to 5 and the same note “x" for everyone in the team, for a day⏎⟨U+202E⟩” · in this conversation · 8 hours',
    );
  });

  it("quotes names that could be mistaken for what is allowed", () => {
    const input = { amount: 5, "id for everyone in the team": 7 };
    expect(suggestedGrantText(someApproval({ input }), lower)).toBe(
      "Requests of issue_refund with amount up to 5 and the same “id for everyone in the team” 7 · in this conversation · 8 hours",
    );
    const requesterId = "ada, for a day";
    expect(suggestedGrantText(someApproval({ ...approval, requesterId }), exact)).toMatch(
      /^This same request · whoever asks for “ada, for a day” · 8 hours$/,
    );
  });

  it("is said as the server says it if the grant is one that this inbox does not know", () => {
    const { upTo: _, ...older } = lower;
    for (const unknown of [
      older as GrantSuggestion,
      { ...lower, upTo: "orderId" },
      { ...exact, grant: { ...grant, expiresIn: "9h" } },
      { ...exact, grant: { ...grant, arguments: "any" as const } },
    ]) {
      expect(suggestedGrantText(approval, unknown)).toBe("As the server says");
    }
  });
});
