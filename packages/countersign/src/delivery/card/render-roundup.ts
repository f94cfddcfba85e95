import { exactSum } from "@countersign/policy/internal/display/exact-sum";
import { isAmount, numberText } from "@countersign/policy/internal/display/number-text";
import { visibleText } from "@countersign/policy/internal/display/visible-text";
import { amountAt } from "@countersign/policy/internal/shared/amount-at";
import type { Approval } from "../../approval/approval.js";
import { shown } from "../../approval/visible-arguments.js";
import type { Roundup } from "../../channel/roundup.js";
import type { ClaimedRoundup } from "../../store/ports/delivery-port.js";

const maxName = 120;

/** What a channel shows of many calls: their current number, without what their rules hide. */
export function renderRoundup(
  { groups, calls }: ClaimedRoundup,
  { tenantId, inboxUrl }: { tenantId: string; inboxUrl: string | null },
): Roundup {
  const names = [...new Set(groups.map(({ toolName }) => toolName))];
  const tools = names.map((toolName) => {
    const waiting = total(groups.filter((group) => group.toolName === toolName));
    const read = calls.filter((call) => call.toolName === toolName);
    const sum = read.length === waiting ? sumOf(read) : null;
    const name = visibleText(labelOf(read) ?? toolName, maxName);
    return { name, calls: waiting, sum, url: inboxUrl === null ? null : addressOf(toolName, inboxUrl) };
  });
  const since = groups.flatMap(({ oldest }) => (oldest ? [oldest.getTime()] : []));
  return {
    tenantId,
    calls: total(groups),
    tools: tools.sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1)),
    highRisk: total(groups.filter(({ risk }) => risk === "high" || risk === "critical")),
    oldest: since.length === 0 ? null : new Date(Math.min(...since)),
    url: inboxUrl,
  };
}

/** What the rules call these calls, if they call all of them the same. */
function labelOf(calls: readonly Approval[]): string | null {
  const [label = null, ...others] = new Set(calls.map(({ terms }) => terms.label));
  return others.length === 0 ? label : null;
}

function total(groups: ClaimedRoundup["groups"]): number {
  return groups.reduce((sum, { calls }) => sum + calls, 0);
}

/** The calls of a tool in the inbox; the inbox itself if a search could not name the tool. */
function addressOf(toolName: string, inboxUrl: string): string {
  return /^[\w-]+$/.test(toolName) ? `${inboxUrl}?q=tool:${toolName}` : inboxUrl;
}

/** What calls come to in each unit; `null` unless all have one amount at one path, with a unit, that channels may show. */
function sumOf(calls: readonly Approval[]): string | null {
  const units = new Map<string, number[]>();
  const [only = "", ...others] = new Set(
    calls.flatMap(({ terms }) => amountsIn(terms.units).map(([path]) => path)),
  );
  if (only === "" || others.length > 0) return null;
  for (const call of calls) {
    const [amount] = amountsIn(call.terms.units);
    const number = amountAt(shown(call, { sink: "channel" }).input, only);
    if (amount === undefined || number === undefined) return null;
    const [, unit] = amount;
    units.set(unit, [...(units.get(unit) ?? []), number]);
  }
  const sums = [...units.keys()].sort().map((unit) => {
    const sum = exactSum(units.get(unit) ?? []);
    return sum === undefined ? null : `${numberText(lastKey(only), sum)} ${unit}`;
  });
  return sums.includes(null) ? null : visibleText(sums.join(" + "), maxName);
}

function amountsIn(units: Approval["terms"]["units"]): [path: string, unit: string][] {
  return Object.entries(units).filter(([path]) => isAmount(lastKey(path)));
}

/** The key that names a value: `amount` of `order.amount`. */
function lastKey(path: string): string {
  return path.split(".").at(-1) ?? path;
}
