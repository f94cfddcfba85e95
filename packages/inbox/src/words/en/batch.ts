import { countNumber } from "../locale.js";
import { counted } from "../plural.js";

/** How many are, or were, decided together. */
export interface BatchCounts {
  approved: number;
  /** Those that others must approve too. */
  votes: number;
  /** What the approved ones come to, without the votes, if that can be said. */
  total: string | undefined;
  denied: number;
}

/** Texts of the review of several requests in a table. */
export const batch = {
  title: (calls: number) => `Review ${countNumber(calls)} together`,
  loading: (missing: number, calls: number) => `Loading ${countNumber(missing)} of ${countNumber(calls)}`,
  unread: "Rows are ticked off as you read them. Open the ones marked.",
  allRead: "All of them are read.",
  denyReason: "Reason for denying",
  keys: "{space} leave out · {d} deny · {enter} open",
  /** The label of the space bar. */
  space: "Space",
  close: "Close",
  blocked: {
    offline: "Cannot reach the server",
    sending: "Sending your decisions",
    arming: "Available in a moment",
    nothing: "None of these can be decided together yet",
  },
  decideNothing: "Approve 0",
  /** The label of the button that decides. */
  decide({ approved, votes, total, denied }: BatchCounts): string {
    const approving = [`Approve ${countNumber(approved)}`, total].filter(Boolean).join(" · ");
    const voting = `${approved > 0 ? "vote" : "Vote"} for ${countNumber(votes)}`;
    const denying = `${approved + votes > 0 ? "deny" : "Deny"} ${countNumber(denied)}`;
    const inFavour = [approved > 0 && approving, votes > 0 && voting].filter(Boolean).join(", ");
    return [inFavour, denied > 0 && denying].filter(Boolean).join(" and ");
  },
  /** What was decided together. */
  decided({ approved, votes, total, denied }: BatchCounts): string {
    return [
      approved > 0 && [`${countNumber(approved)} approved`, total].filter(Boolean).join(" · "),
      votes > 0 && counted(votes, "vote", "votes"),
      denied > 0 && `${countNumber(denied)} denied`,
    ]
      .filter(Boolean)
      .join(", ");
  },
  table: {
    caption: "{tool} · {calls}",
    captionOfServer: "{tool} of the connected service {server} · {calls}",
    calls: (count: number) => counted(count, "request", "requests"),
    decision: "Decision",
    requester: "for",
    /** The column of arguments that are not an object. */
    value: "value",
    effects: "Effect",
    review: "Review",
    total: "Total",
  },
  row: {
    choice: { approve: "to approve", deny: "to deny", leave: "left out" },
    approve: (sentence: string) => `Approve: ${sentence}`,
    deny: "Deny",
    nobody: "nobody",
    sameAs: (row: number) => `same as row ${countNumber(row)}`,
    /** Read between two values. */
    becomes: "becomes",
  },
  cell: {
    timesMedian: (times: string) => `${times} × the median`,
    none: "none",
  },
  review: {
    seen: "Seen",
    notRead: "Reading …",
    openFirst: "Open it first",
    openFirstFor: (left: string) => `Open it first: ${left}`,
    /** The link of a row that was read, and its name. */
    openShort: "Open",
    open: (sentence: string) => `Open: ${sentence}`,
  },
};
