import { words } from "../../words/words.js";

/** What a person has entered about a new stop. */
export interface StopDraft {
  /** `undefined` until the person chooses. */
  scope: "tool" | "all" | undefined;
  tool: string;
  /** The word that confirms a stop of every call. */
  word: string;
  reason: string;
}

export const emptyStopDraft: StopDraft = { scope: undefined, tool: "", word: "", reason: "" };

/** The stop that a draft describes, or what is still missing. */
export function stopOfDraft(
  draft: StopDraft,
): { stop: { tool: string; reason: string }; problem?: never } | { problem: string } {
  const { problems, everything } = words.stops.draft;
  const [tool, reason] = [draft.tool.trim(), draft.reason.trim()];
  if (draft.scope === undefined) return { problem: problems.scope };
  if (draft.scope === "tool") {
    if (tool === "") return { problem: problems.tool };
    if (/^\**$/.test(tool)) return { problem: problems.allTools };
  } else if (draft.word.trim().toLowerCase() !== everything.toLowerCase()) {
    return { problem: problems.word };
  }
  if (reason === "") return { problem: problems.reason };
  return { stop: { tool: draft.scope === "all" ? "*" : tool, reason } };
}

/** The most tools that the server counts one by one. */
const maxCounted = 50;

/** How many of the listed calls a stop would cover. `undefined` if that is not known, as for a pattern. */
export function coveredCount(
  { scope, tool }: StopDraft,
  { found, tools }: { found: number; tools: readonly { value: string; count: number }[] },
): number | undefined {
  if (scope === "all") return found;
  const name = tool.trim();
  if (scope === undefined || name === "" || /[^\p{L}\p{N}_./:-]/u.test(name)) return undefined;
  const counted = tools.find(({ value }) => value === name)?.count;
  return counted ?? (tools.length < maxCounted ? 0 : undefined);
}
