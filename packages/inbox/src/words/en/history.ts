import { riskOf } from "./lists.js";

/** Texts of the history. */
export const history = {
  title: "History",
  search: "Search history",
  searchHint: "Search",
  show: "Show",
  all: "All",
  kinds: {
    ran: "Ran",
    denied: "Denied",
    answered: "Answered",
    undecided: "Not decided",
    interrupted: "Interrupted",
  },
  time: "Time",
  /** The buttons of `time`. */
  times: { today: "Today", yesterday: "Yesterday", week: "7 days" },
  /** Days within a sentence. */
  days: { today: "today", yesterday: "yesterday" },
  noMatch: "No matching approvals.",
  decided: "Decided approvals",
  filters: {
    label: "Active filters",
    remove: "Remove this filter",
    /** Read before the filter. */
    removes: "Remove filter:",
    tool: (name: string) => `Tool ${name}`,
    requester: (id: string) => `For ${id}`,
    risk: riskOf,
    outcome: {
      decided: "Decided by a person",
      approved: "Approved by a person",
      denied: "Denied by a person",
    },
    days: (days: string) => (days === "1" ? "Within 1 day" : `Within ${days} days`),
    by: "Decided by you",
    since: (day: string) => `Decided since ${day}`,
    until: (day: string) => `Decided until ${day}`,
    before: "Before one request",
    kinds: {
      ran: "ran",
      denied: "denied",
      answered: "answered",
      undecided: "undecided",
      interrupted: "interrupted",
    },
  },
};
