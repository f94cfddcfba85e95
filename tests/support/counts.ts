import type { RecordedCount } from "countersign/types";

/** Counts as they are stored with a call. */
export const recordedCalls: RecordedCount = {
  ...{ tool: "refund", amount: null, per: "requester", window: "1h" },
  ...{ text: 'calls("refund", "1h")', limit: 10, total: 3 },
};
export const recordedSum: RecordedCount = {
  ...{ tool: "refund", amount: "amount", per: "input.customerId", window: "7d" },
  ...{ text: 'spent("refund", "amount", "7d", "customerId")', limit: 2000, total: 2340.5 },
};
export const hostileCount: RecordedCount = {
  ...{ tool: "re\u202efund\n*", amount: null, per: "tenant", window: "31d" },
  ...{ text: 'calls("re\u202efund\\n*", "31d", "tenant")', limit: null, total: 12_345 },
};

/** The lines of these counts. */
export const lines = {
  calls: "3 of 10 requests in 1 hour for this requester, this one included",
  sum: "amount: 340.50 over the limit of 2,000 in 7 days for the same customer id",
  hiddenSum: "amount: hidden of 2,000 in 7 days for the same customer id, this one included",
  hostile: "12,345 requests of “re⟨U+202E⟩fund⏎*” in 31 days for everyone",
};
