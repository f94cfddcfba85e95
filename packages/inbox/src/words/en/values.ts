import { counted } from "../plural.js";
import { type KindOfCall, kindOf } from "./kind.js";

/** Texts of arguments, their kinds and warnings about them. */
export const values = {
  // In place of values that show nothing themselves.
  nothing: "nothing",
  emptyText: "empty text",
  yes: "yes",
  no: "no",
  hidden: "Hidden from you. Approving covers it.",

  // What a value was before a change, and will be.
  changes: "Changes",
  was: "was",
  willBe: "will be",

  folded: {
    gap: (count: string) => `${count} characters not shown`,
    showAll: (count: string) => `Show all ${count} characters`,
    showLess: "Show less",
  },

  // Notes at characters that cannot be seen and at words that look like others.
  notShown: (characters: string) => `(not shown: ${characters})`,
  mixedAlphabets: "mixed alphabets",
  looksLike: (other: string) => `looks like ${other}`,

  unreviewed: {
    folds: (count: number) => counted(count, "long text not opened", "long texts not opened"),
    warnings: (count: number) => counted(count, "warning to check", "warnings to check"),
    values: (count: number) => counted(count, "value below not seen yet", "values below not seen yet"),
    effects: (count: number) => counted(count, "effect below not seen yet", "effects below not seen yet"),
  },

  question: {
    agent: "The agent",
    mcpServer: (name: string) => name,
  },

  editing: {
    enterNumber: (example: string) => `Enter a number, such as ${example}`,
    tooManyDigits: "This number has too many digits to be sent exactly",
    numberTooLarge: "A number in it is too large",
    invalidJson: "This is not valid JSON",
    /** How much an amount differs from the one before, by a factor of ten or more. */
    timesMore: (factor: string, before: string) => `${factor} times more than ${before}`,
    timesLess: (factor: string, before: string) => `${factor} times less than ${before}`,
  },

  budget: {
    title: "Budget for later ones",
    explained: (call: KindOfCall) =>
      `Later ${kindOf(call, 2)} run without asking, whatever their other arguments are, until the total is used. You can revoke this at any time under Standing permissions.`,
    amount: "Amount",
    total: "Total",
    each: "At most each (optional)",
    unit: "Unit (optional)",
    time: "Time",
    scope: "Whose requests",
    times: { "8h": "8 hours", "24h": "1 day", "7d": "7 days", "30d": "30 days" },
    scopes: {
      thread: "in this conversation",
      user: (requester: string) => `for ${requester}`,
      team: "for everyone in the team",
    },
    enterTotal: (example: string) => `Enter the total as a number, such as ${example}`,
    enterAmounts: (whole: string, cents: string) => `Enter amounts as numbers, such as ${whole} or ${cents}`,
    eachTooLarge: "Enter at most the total for each",
  },
};
