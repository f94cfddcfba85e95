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
    return { name: visibleText(labelOf(read) ?? toolName, maxName), calls: waiting, sum };
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

/** What calls come to; `null` unless all have an amount at one path in one unit that channels may show. */
function sumOf(calls: readonly Approval[]): string | null {
  const kinds = new Set(calls.map(({ terms }) => JSON.stringify(amountsIn(terms.units))));
  const [amount, ...others] = amountsIn(calls[0]?.terms.units ?? {});
  if (kinds.size !== 1 || amount === undefined || others.length > 0) return null;
  const [path, unit] = amount;
  const numbers = calls.flatMap((call) => amountAt(shown(call, { sink: "channel" }).input, path) ?? []);
  const sum = numbers.length === calls.length ? exactSum(numbers) : undefined;
  return sum === undefined ? null : visibleText(`${numberText(lastKey(path), sum)} ${unit}`, maxName);
}

function amountsIn(units: Approval["terms"]["units"]): [path: string, unit: string][] {
  return Object.entries(units).filter(([path]) => isAmount(lastKey(path)));
}

/** The key that names a value: `amount` of `order.amount`. */
function lastKey(path: string): string {
  return path.split(".").at(-1) ?? path;
}
