import type { Approval } from "../../api/approval.js";
import { words } from "../../words/words.js";
import type { ListItem } from "./groups.js";

/** For whom a call is, in a row. */
export function requesterOf({ requesterId, agentName }: Pick<Approval, "requesterId" | "agentName">): string {
  return requesterId ?? agentName ?? words.lists.row.agent;
}

/**
 * The calls of a list whose rows say for whom they are: those with another requester than the row above. The heading of a
 * conversation names those of its calls.
 */
export function namedRows(
  items: readonly ListItem[],
  nameOf: (id: string) => string | undefined,
): ReadonlySet<string> {
  const named = new Set<string>();
  let above: string | undefined;
  for (const item of items) {
    if (item.kind === "group") continue;
    const name = nameOf(item.id);
    if (!item.grouped && name !== above) named.add(item.id);
    above = name;
  }
  return named;
}
