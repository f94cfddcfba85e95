import type { Approval, Risk } from "../../api/approval.js";
import { hasWords, wordsToFind } from "./search.js";

export type ListName = Approval["lists"][number];

/** The reader's lists, in the order in which they are shown. */
export const listNames = [
  "for_you",
  "snoozed",
  "waiting",
  "asked",
  "uncertain",
] as const satisfies readonly ListName[];

/** What a list shows: the list, and the search in its box, such as "risk:high refund". Both are in the address. */
export interface ListView {
  list: ListName;
  text: string;
}

export function viewOf(search: string): ListView {
  const params = new URLSearchParams(search);
  const list = listNames.find((name) => name === params.get("list"));
  return { list: list ?? "for_you", text: params.get("q") ?? "" };
}

/** The search of an address that shows a view: "?list=waiting&q=refund", or nothing for the first list. */
export function searchOf({ list, text }: ListView): string {
  const params = new URLSearchParams();
  if (list !== "for_you") params.set("list", list);
  if (text.trim() !== "") params.set("q", text);
  const search = params.toString();
  return search === "" ? "" : `?${search}`;
}

/** What a search asks for. `words` must all occur; the others are filters. */
export interface ListQuery {
  risk?: Risk[];
  tool?: string;
  from?: string;
  ends?: string;
  assigned?: "me";
  words: string;
}

export type FilterName = Exclude<keyof ListQuery, "words">;

const risks: readonly Risk[] = ["low", "medium", "high", "critical"];
const part = /(?:([a-z]+):)?("[^"]*"|\S+)/g;

/** The filters that a search can have, each with what its value may be. */
export type FilterRules<Name extends string> = Readonly<Record<Name, (value: string) => boolean>>;

export const isRisks = (value: string): boolean =>
  value.split(",").every((each) => risks.some((risk) => risk === each));
/** The risks that a filter names. */
export const risksIn = (value: string): Risk[] =>
  value.split(",").flatMap((each) => risks.find((risk) => risk === each) ?? []);
export const isAnything = (value: string): boolean => value !== "";

const listFilters: FilterRules<FilterName> = {
  risk: isRisks,
  tool: isAnything,
  from: isAnything,
  ends: (value) => /^\d{1,4}(m|h|d)$/.test(value),
  assigned: (value) => value === "me",
};

interface Part<Name extends string> {
  /** As it stands in the search. */
  raw: string;
  name?: Name;
  value: string;
}

/** The parts of a search. A filter with an impossible value is a word. */
export function partsOf<Name extends string>(text: string, filters: FilterRules<Name>): Part<Name>[] {
  const names = Object.keys(filters) as Name[];
  return [...text.matchAll(part)].map(([raw, given, quotable = ""]) => {
    const value = quotable.replace(/^"|"$/g, "");
    const name = names.find((each) => each === given);
    return name !== undefined && filters[name](value) ? { raw, name, value } : { raw, value: raw };
  });
}

/** What a search asks for. */
export function queryOf(text: string): ListQuery {
  const parts = partsOf(text, listFilters);
  const last = (wanted: FilterName) => parts.findLast(({ name }) => name === wanted)?.value;
  const [risk, tool, from, ends] = (["risk", "tool", "from", "ends"] as const).map(last);
  return {
    ...(risk && { risk: risksIn(risk) }),
    ...(tool && { tool }),
    ...(from && { from }),
    ...(ends && { ends }),
    ...(last("assigned") && { assigned: "me" as const }),
    words: parts.flatMap(({ name, value }) => (name ? [] : [value])).join(" "),
  };
}

/** The same as the API's query. */
export function filtersOf(text: string) {
  const { risk, tool, from, ends, assigned, words } = queryOf(text);
  return {
    ...(risk && { risk: risk.join(",") }),
    ...(tool && { tool }),
    ...(from && { requester: from }),
    ...(ends && { endsWithin: ends }),
    ...(assigned && { assignee: assigned }),
    ...(words && { q: wordsToFind(words) }),
  };
}

/** The search with one filter set, or removed if it is set to this value already. */
export function toggled(text: string, filter: FilterName, value: string): string {
  return toggledIn(listFilters, text, filter, value);
}

/** The same for a search that can have these filters. */
export function toggledIn<Name extends string>(
  filters: FilterRules<Name>,
  text: string,
  filter: Name,
  value: string,
): string {
  const parts = partsOf(text, filters);
  const isSet = parts.some((each) => each.name === filter && each.value === value);
  const others = parts.filter(({ name }) => name !== filter).map(({ raw }) => raw);
  return [...(isSet ? [] : [`${filter}:${quoted(value)}`]), ...others].join(" ");
}

function quoted(value: string): string {
  return /\s/.test(value) ? `"${value}"` : value;
}

const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Whether a call meets a search, as the server judges it. `meId`: the reader. */
export function meets(
  approval: Pick<Approval, "risk" | "toolName" | "requesterId" | "expiresAt" | "assigneeId" | "summary">,
  { risk, tool, from, ends, assigned, words }: ListQuery,
  { nowMs, meId }: { nowMs: number; meId: string | undefined },
): boolean {
  const { toolName, requesterId, expiresAt, assigneeId, summary } = approval;
  const [, count, unit] = /^(\d+)(m|h|d)$/.exec(ends ?? "") ?? [];
  const endMs = count === undefined ? undefined : nowMs + Number(count) * units[unit as keyof typeof units];
  return (
    (!risk || risk.includes(approval.risk)) &&
    (!tool || toolName === tool) &&
    (!from || requesterId === from) &&
    (endMs === undefined || (expiresAt !== null && Date.parse(expiresAt) <= endMs)) &&
    (!assigned || assigneeId === meId) &&
    hasWords([summary, toolName, requesterId].join(" "), wordsToFind(words))
  );
}
