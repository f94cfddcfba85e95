import type { Approval } from "../api/approval.js";
import { hiddenValue } from "./argument-fields.js";
import { isRecord } from "./paths.js";

/** Verbs that say no more than that something is done. */
const plainVerbs = new Set(["issue", "send", "create", "make", "do", "run", "execute", "submit", "post"]);

/** What the button that approves says: "Approve refund" for `issue_refund`, "Approve: delete user" for `delete_user`. */
export function approveWords(toolName: string): string {
  const words = toolName
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map((word) => word.toLowerCase());
  const [verb, ...rest] = words;
  const plain = verb !== undefined && plainVerbs.has(verb) && rest.length > 0;
  const text = (plain ? rest : words).join(" ");
  if (text === "" || text.length > 24) return "Approve";
  return plain ? `Approve ${text}` : `Approve: ${text}`;
}

/** How much care an approval asks for: one key, a second look, or typing. */
export type Weight = "key" | "arm" | "type";

export function weightOf({ risk }: Pick<Approval, "risk">): Weight {
  if (risk === "critical") return "type";
  return risk === "high" ? "arm" : "key";
}

const telling = /(amount|total|price|sum|name|target|table|domain|repo|branch|path|email|to|id)$/i;

/** What must be typed before a critical call is approved: its amount or name, else the tool's name. */
export function wordToType(approval: Pick<Approval, "input" | "toolName">): string {
  const entries = isRecord(approval.input) ? Object.entries(approval.input) : [];
  const plain = entries.flatMap(([key, value]) => {
    if (typeof value === "number") return [{ key, text: String(value) }];
    return typeof value === "string" &&
      /^[\x21-\x7e][\x20-\x7e]{0,38}[\x21-\x7e]$/.test(value) &&
      value !== hiddenValue
      ? [{ key, text: value }]
      : [];
  });
  const amount = plain.find(({ key }) => /(amount|total|price|sum)$/i.test(key));
  return (amount ?? plain.find(({ key }) => telling.test(key)))?.text ?? approval.toolName;
}

/** Whether what was typed is what was asked for; spaces around it and thousands' commas do not matter. */
export function typedRight(typed: string, wanted: string): boolean {
  const bare = (text: string) => {
    const trimmed = text.trim();
    return /^[\d,.]+$/.test(trimmed) ? String(Number(trimmed.replaceAll(",", ""))) : trimmed;
  };
  return bare(typed) === bare(wanted);
}
