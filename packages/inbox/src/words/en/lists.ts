import type { Approval, Risk } from "../../api/approval.js";
import { countNumber } from "../locale.js";
import { counted } from "../plural.js";

type ListName = Approval["lists"][number];

/** Texts of the lists and the filters. */
export const lists = {
  lists: "Lists",
  titles: {
    for_you: "For you",
    snoozed: "Snoozed",
    waiting: "Waiting for others",
    asked: "Asked by you",
    uncertain: "Check these",
  } satisfies Record<ListName, string>,
  empty: {
    for_you: {
      title: "Nothing left to decide",
      text: "New approvals appear here as soon as an agent needs a decision.",
    },
    snoozed: {
      title: "Nothing snoozed",
      text: "What you put aside waits here until its time, for you alone.",
    },
    waiting: {
      title: "Nothing waits for others",
      text: "What you have decided and others must still decide appears here.",
    },
    asked: {
      title: "Nothing asked on your behalf",
      text: "What an agent asks for on your behalf waits here for others.",
    },
    uncertain: {
      title: "Nothing to check",
      text: "What was interrupted and may have run appears here.",
    },
  } satisfies Record<ListName, { title: string; text: string }>,
  signedIn: (id: string, roles: readonly string[]) =>
    `You are signed in as ${id} (${rolesText(roles)}). What only others may see is not listed.`,
  /** Beside a list while nothing is open. */
  day: {
    waitForYou: (count: string) => `${count} ${count === "1" ? "waits" : "wait"} for you`,
    /** `{key}` is the key that opens the next one. */
    start: "Select one from the list, or press {key} for the most urgent.",
  },
  decidedToday: (count: string) => `${count} decided today`,
  waitForOthers: (count: number) => counted(count, "waits for others", "wait for others"),
  recent: "Recently decided",
  search: "Search this list",
  searchHint: "Search",
  noMatch: "Nothing matches.",
  found: (count: string) => `${count} found`,
  showNew: (count: number) => `Show ${countNumber(count)} new`,
  filter: "Filter",
  filters: "Filters",
  filterGroups: { risk: "Risk", time: "Time", tool: "Tool", people: "People" },
  endsSoon: { "15m": "Ends in 15 min", "1h": "Ends in 1 h" },
  assignedToMe: "Assigned to me",
  forRequester: (id: string) => `For ${id}`,
  row: {
    select: (sentence: string) => `Select: ${sentence}`,
    decided: "decided",
    risk: { low: "low", medium: "medium", high: "high", critical: "critical" } satisfies Record<Risk, string>,
    warnings: (count: number) => counted(count, "warning", "warnings"),
    votes: (approved: number, quorum: number) => `${approved} of ${quorum}`,
    snoozedUntil: (time: string) => `snoozed until ${time}`,
    /** In place of the requester, if nobody and no named agent asked. */
    agent: "agent",
  },
  group: {
    heading: (calls: number, requesters: string) =>
      `${countNumber(calls)} requests of one conversation · ${requesters}`,
    select: (calls: number) => `Select ${countNumber(calls)}`,
    selected: "Selected",
  },
  selection: {
    label: "Selected",
    selected: (count: number) => `${countNumber(count)} selected`,
    opened: (opened: number, count: number) =>
      `${countNumber(opened)} of ${countNumber(count)} opened by you`,
    all: "Select all",
    clear: "Clear",
    review: "Review together",
  },
  snooze: {
    until: (time: string) => `Until ${time}`,
    tomorrow: (time: string) => `Until tomorrow, ${time}`,
    beforeEnd: (time: string) => `10 minutes before it ends, at ${time}`,
  },
};

function rolesText(roles: readonly string[]): string {
  if (roles.length === 0) return "no role";
  return `${roles.length === 1 ? "role" : "roles"} ${roles.join(", ")}`;
}

/** One of several risks: "high or critical risk". */
export function riskOf(risks: readonly Risk[]): string {
  return `${risks.join(" or ")} risk`;
}
