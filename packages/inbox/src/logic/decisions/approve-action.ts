import { numberText } from "@countersign/policy/display";
import type { Approval } from "../../api/approval.js";
import { numbers } from "../../words/locale.js";
import { words } from "../../words/words.js";
import { hiddenValue } from "../arguments/argument-fields.js";
import { parseNumber } from "../arguments/parse-number.js";
import { isRecord } from "../arguments/paths.js";

/** A longer text would not fit into the button. */
const maxText = 24;

/** Verbs that add nothing to "approve". */
const plainVerbs = new Set(["issue", "send", "create", "make", "do", "run", "execute", "submit", "post"]);

/**
 * The label of the approve button: "Approve refund" for a rule's label "Refund" and for `issue_refund`, "Approve: delete user"
 * for `delete_user`.
 */
export function approveText({ label, toolName }: Pick<Approval, "label" | "toolName">): string {
  const { title, labelled, thing, action } = words.decide.approve;
  if (label !== null) return label.length > maxText ? title : labelled(label);
  const parts = toolName
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map((word) => word.toLowerCase());
  const [verb, ...rest] = parts;
  const plain = verb !== undefined && plainVerbs.has(verb) && rest.length > 0;
  const text = (plain ? rest : parts).join(" ");
  if (text === "" || text.length > maxText) return title;
  return plain ? thing(text) : action(text);
}

/** How an approval is confirmed: by one key, by a delayed second step, or by typing. */
export type Confirmation = "key" | "arm" | "type";

export function confirmationOf({
  risk,
  checks,
  preview,
}: Pick<Approval, "risk" | "checks" | "preview">): Confirmation {
  if (risk === "critical") return "type";
  const doubtful = checks.some(({ ok }) => !ok) || hasNoPreview({ preview });
  return risk === "high" || doubtful ? "arm" : "key";
}

/** Whether the tool has a preview, and it failed: nobody knows what the call would change. */
export function hasNoPreview({ preview }: Pick<Approval, "preview">): boolean {
  return preview !== null && preview.failed !== null;
}

const identifyingKey = /(amount|total|price|sum|name|target|table|domain|repo|branch|path|email|to|id)$/i;

/** What to type before a critical call is approved, and its value if it is a number. */
export interface ToType {
  text: string;
  number?: number;
}

/** The amount or name of a critical call, else its tool's name. */
export function textToType(approval: Pick<Approval, "input" | "toolName">): ToType {
  const entries = isRecord(approval.input) ? Object.entries(approval.input) : [];
  const plain = entries.flatMap(([key, value]): { key: string; toType: ToType }[] => {
    if (typeof value === "number") {
      return [{ key, toType: { text: numberText(key, value, numbers), number: value } }];
    }
    return typeof value === "string" &&
      /^[\x21-\x7e][\x20-\x7e]{0,38}[\x21-\x7e]$/.test(value) &&
      value !== hiddenValue
      ? [{ key, toType: { text: value } }]
      : [];
  });
  const amount = plain.find(({ key }) => /(amount|total|price|sum)$/i.test(key));
  return (amount ?? plain.find(({ key }) => identifyingKey.test(key)))?.toType ?? { text: approval.toolName };
}

/** Whether the typed text matches. Surrounding spaces are ignored, and a number may have its groups or not. */
export function typedMatches(typed: string, { text, number }: ToType): boolean {
  return typed.trim() === text.trim() || (number !== undefined && parseNumber(typed).value === number);
}
