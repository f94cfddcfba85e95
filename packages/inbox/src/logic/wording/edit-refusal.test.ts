import { afterEach, expect, it } from "vitest";
import { de } from "../../words/de/index.js";
import { en } from "../../words/en/index.js";
import { speak } from "../../words/words.js";
import { editRefusalText } from "./edit-refusal.js";

const problem = {
  ...{
    type: "",
    title: "",
    status: 403,
    code: "edit_not_allowed",
    detail: "In the server’s words",
    instance: "",
  },
  ...{
    verdict: "ask",
    approvers: { roles: ["lead", "admin"], ids: [] },
    quorum: 1,
    reason: "More than 400 EUR",
  },
};

afterEach(() => speak(en));

it.each([
  [{}, "This needs lead or admin (More than 400 EUR). Change less, or reassign it to them."],
  [{ quorum: 2, reason: null }, "This needs 2 people of lead, admin. Change less, or reassign it to them."],
  [
    { approvers: { roles: [], ids: [] }, reason: null },
    "This needs someone else. Change less, or reassign it to them.",
  ],
  [{ verdict: "deny" }, "The rules forbid this value. Enter another one."],
  [{ approvers: undefined }, "In the server’s words"],
  [{ approvers: { roles: [1], ids: [] } }, "In the server’s words"],
])("an edit that is not allowed names who can approve it: %j", (parts, text) => {
  expect(editRefusalText({ problem: { ...problem, ...parts } })).toBe(text);
});

it("an edit that is not allowed is explained in German", () => {
  speak(de);
  expect(editRefusalText({ problem })).toBe(
    "Dafür ist lead oder admin nötig (More than 400 EUR). Ändern Sie weniger, oder weisen Sie den Vorgang neu zu.",
  );
});
