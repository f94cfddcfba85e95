import { visibleText } from "@countersign/policy/internal/display/visible-text";
import type { Roundup } from "../../channel/roundup.js";
import type { ClaimedDelivery, ClaimedRoundup } from "../../store/ports/delivery-port.js";
import { type CardPlace, renderCard } from "./render-card.js";

const maxName = 120;
const defaultWithinMs = 60_000;

/** What a channel shows of many calls: their current state, without what their rules hide. */
export function renderRoundup(
  { tenantId, wantedVersion }: ClaimedDelivery,
  { groups, calls, newest, joinsForMs }: ClaimedRoundup,
  { withinMs = defaultWithinMs, ...place }: CardPlace & { withinMs?: number | undefined },
): Roundup {
  const cardOf = (call: ClaimedRoundup["calls"][number]) => ({
    ...renderCard(call, place),
    decisions: [],
    notWhole: null,
  });
  const waiting = groups.filter(({ open }) => open);
  const tools = new Map<string, number>();
  for (const { toolName, calls } of waiting) {
    const name = visibleText(toolName, maxName);
    tools.set(name, (tools.get(name) ?? 0) + calls);
  }
  const since = waiting.flatMap(({ oldest }) => (oldest ? [oldest.getTime()] : []));
  return {
    tenantId,
    version: wantedVersion,
    open: sum(waiting),
    closed: sum(groups) - sum(waiting),
    tools: [...tools]
      .map(([name, calls]) => ({ name, calls }))
      .sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1)),
    highRisk: sum(waiting.filter(({ risk }) => risk === "high" || risk === "critical")),
    oldest: since.length === 0 ? null : new Date(Math.min(...since)),
    calls: calls.map(cardOf),
    newest: newest.map((call) => ({ card: cardOf(call), position: call.position })),
    joinsForMs,
    withinMs,
    url: place.inboxUrl,
  };
}

function sum(groups: readonly { calls: number }[]): number {
  return groups.reduce((total, { calls }) => total + calls, 0);
}
