import { visibleText } from "@countersign/policy/display";
import type { Approval } from "../../api/approval.js";
import { words } from "../../words/words.js";
import { closedStatuses, historyKinds, statusesOf } from "./closed-statuses.js";
import { dayText, isDay, startOfDay } from "./days.js";
import { wordsToFind } from "./search.js";
import { type FilterRules, isAnything, isRisks, partsOf, risksIn, searchOf, toggledIn } from "./view.js";

/** How a person decided about a call: in any way, or so. */
const outcomes = ["decided", "approved", "denied"] as const;
export type HistoryOutcome = (typeof outcomes)[number];

const includes = (values: readonly string[]) => (value: string) => values.includes(value);

/** Filters of history, such as "is:ran tool:issue_refund from:ada outcome:approved days:30 by:me since:yesterday". */
const historyFilters = {
  is: includes(historyKinds),
  tool: isAnything,
  from: isAnything,
  risk: isRisks,
  outcome: includes(outcomes),
  days: (value: string) => /^\d{1,3}$/.test(value) && Number(value) >= 1 && Number(value) <= 365,
  by: (value: string) => value === "me",
  /** The first day of decisions. */
  since: isDay,
  /** The last one. */
  until: isDay,
  /** The id of a call: only those before it. */
  before: isAnything,
} satisfies FilterRules<string>;

export type HistoryFilter = keyof typeof historyFilters;

/** A filter that a search has. */
export interface ActiveFilter {
  filter: HistoryFilter;
  value: string;
}

/** The filters of a search, each once, and its words. If a filter is repeated, the last one counts. */
export function historyQueryOf(text: string): { active: ActiveFilter[]; words: string } {
  const parts = partsOf(text, historyFilters);
  const byName = new Map(parts.flatMap(({ name, value }) => (name ? [[name, value] as const] : [])));
  return {
    active: [...byName].map(([filter, value]) => ({ filter, value })),
    words: parts.flatMap(({ name, value }) => (name ? [] : [value])).join(" "),
  };
}

/** The value of one filter in a search. */
export function filterIn(text: string, wanted: HistoryFilter): string | undefined {
  return historyQueryOf(text).active.find(({ filter }) => filter === wanted)?.value;
}

/** The search with one filter set, or removed if it is set to this value already. */
export function withFilter(text: string, filter: HistoryFilter, value: string): string {
  return toggledIn(historyFilters, text, filter, value);
}

/** The search of history's address that finds the calls which the history of a call counts; `undefined` if none can. */
export function similarCallsSearch(
  { id, toolName, requesterId }: Pick<Approval, "id" | "toolName" | "requesterId">,
  outcome: HistoryOutcome,
): string | undefined {
  return searchFor([
    { filter: "tool", value: toolName },
    { filter: "from", value: requesterId ?? "" },
    { filter: "outcome", value: outcome },
    { filter: "days", value: "30" },
    { filter: "before", value: id },
  ]);
}

/** The search of history's address with these filters; `undefined` if no search can say them. */
export function searchFor(wanted: readonly ActiveFilter[]): string | undefined {
  const text = wanted.reduceRight((rest, { filter, value }) => withFilter(rest, filter, value), "");
  // A name with quotation marks cannot be written in a search.
  const finds = wanted.every(({ filter, value }) => filterIn(text, filter) === value);
  return finds && historyQueryOf(text).words === "" ? searchOf({ list: "for_you", text }) : undefined;
}

/** The search of history's address that finds what the reader has decided today. */
export const decidedTodaySearch = searchOf({ list: "for_you", text: "by:me since:today" });

/** Times of decisions that have a button, each with the filters that it sets. */
const times = {
  today: [{ filter: "since", value: "today" }],
  yesterday: [
    { filter: "until", value: "yesterday" },
    { filter: "since", value: "yesterday" },
  ],
  week: [{ filter: "days", value: "7" }],
} as const satisfies Record<string, readonly ActiveFilter[]>;

export type HistoryTime = keyof typeof times;
export const historyTimes = Object.keys(times) as HistoryTime[];

const isAboutTime = ({ filter }: ActiveFilter) => ["since", "until", "days"].includes(filter);

/** The button's time that a search asks for. */
export function timeIn(text: string): HistoryTime | undefined {
  const given = historyQueryOf(text).active.filter(isAboutTime);
  return historyTimes.find(
    (time) =>
      times[time].length === given.length &&
      times[time].every(({ filter, value }) => filterIn(text, filter) === value),
  );
}

/** The search with this time, or without one. */
export function withTime(text: string, time: HistoryTime | undefined): string {
  const given = historyQueryOf(text).active.filter(isAboutTime);
  const wanted = time ? times[time] : [];
  return [...given, ...wanted].reduce((rest, { filter, value }) => withFilter(rest, filter, value), text);
}

/** The filters of a search besides the time of a button. */
export function otherFilters(text: string): ActiveFilter[] {
  const { active } = historyQueryOf(text);
  return timeIn(text) ? active.filter((each) => !isAboutTime(each)) : active;
}

/** A filter in words. */
export function filterLabel({ filter, value }: ActiveFilter): string {
  const { tool, requester, risk, outcome, days, by, since, until, before, kinds } = words.history.filters;
  switch (filter) {
    case "tool":
      return tool(value);
    case "from":
      return requester(value);
    case "risk":
      return risk(risksIn(value));
    case "outcome":
      return isOutcome(value) ? outcome[value] : value;
    case "days":
      return days(value);
    case "by":
      return by;
    case "since":
      return since(dayText(value));
    case "until":
      return until(dayText(value));
    case "before":
      return before;
    case "is": {
      const kind = historyKinds.find((each) => each === value);
      return kind ? kinds[kind] : value;
    }
  }
}

/** A title for history with a search: "History: Yesterday · Tool issue_refund · Denied by a person". */
export function historyTitle(text: string): string {
  const time = timeIn(text);
  const filters = otherFilters(text).map(filterLabel);
  const parts = [time && words.history.times[time], ...filters, historyQueryOf(text).words].filter(Boolean);
  return visibleText([words.history.title, parts.join(" · ")].filter(Boolean).join(": "), 120, words.display);
}

/** A search as the API's query. `todayMs`: when the reader's day began. */
export function historyFiltersOf(text: string, todayMs: number) {
  const { active, words } = historyQueryOf(text);
  const filters: Partial<Record<HistoryFilter, string>> = Object.fromEntries(
    active.map(({ filter, value }) => [filter, value]),
  );
  const { is, tool, from, risk, outcome, days, by, since, until, before } = filters;
  const kind = historyKinds.find((each) => each === is);
  return {
    status: kind ? statusesOf[kind].join(",") : closedStatuses,
    ...(tool && { tool }),
    ...(from && { requester: from }),
    ...(risk && { risk }),
    ...(isOutcome(outcome) && { outcome }),
    ...(days && { decidedWithin: `${days}d` }),
    ...(by && { decidedBy: "me" as const }),
    ...(since && { decidedAfter: startOfDay(since, todayMs).toISOString() }),
    ...(until && { decidedBefore: startOfDay(until, todayMs, 1).toISOString() }),
    ...(before && { before }),
    ...(words && { q: wordsToFind(words) }),
  };
}

function isOutcome(value: string | undefined): value is HistoryOutcome {
  return outcomes.some((outcome) => outcome === value);
}
