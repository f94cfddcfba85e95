import { isDeepStrictEqual } from "node:util";
import { unitsOfRedaction, WorkLimit } from "@countersign/policy/internal/bounded/work-limit";
import { type Hiding, redact } from "@countersign/policy/internal/redaction/redact";
import { amountAt } from "@countersign/policy/internal/shared/amount-at";
import { hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import { ownField } from "@countersign/policy/internal/shared/value-at-path";
import type { Approval, Decision } from "./approval.js";
import { hidingFor } from "./visible-arguments.js";

/** How far back the history of a person's calls goes, in days. */
export const historyDays = 30;

/** Another call of the same tool for the same person, before this one. */
export interface SimilarCall {
  decisionType: Decision["type"] | null;
  /** The arguments as JSON text; `null` if they are long. */
  inputJson: string | null;
  /** What its rules hide. */
  redact: string[];
  redactPatterns: string[];
}

/** What is known from the log about calls like one: nothing of it comes from a model's words. */
export interface CallHistory {
  /** How many other calls of this tool were made for this person in the last 30 days. */
  calls: number;
  /** Whether there were more, which are not counted. */
  more: boolean;
  approved: number;
  denied: number;
  /** The amount of the approved ones: its argument, their median, and how many times that this call's amount is. */
  amount: { path: string; median: number; times: number } | null;
  /** Arguments of the summary whose values no approved call had, where approved calls repeat values. */
  newValues: string[];
}

/** Fewer approved calls say nothing about what is usual. */
const minUsual = 3;

/** The history of a call, from others like it. What is hidden from the reader, in this call or another, is not compared. */
export function callHistory(
  { inputJson, terms }: Pick<Approval, "inputJson" | "terms">,
  similar: readonly SimilarCall[],
  { more, seesEverything }: { more: boolean; seesEverything: boolean },
): CallHistory {
  const limit = new WorkLimit(unitsOfRedaction);
  const readable = (json: string, hiding: Hiding): Readable => {
    const whole: unknown = JSON.parse(json);
    return { whole, shown: redact(whole, hidingFor(hiding, { sink: "inbox", seesEverything }), limit) };
  };
  const own = readable(inputJson, terms);
  const isApproved = ({ decisionType }: SimilarCall) => decisionType === "approve" || decisionType === "edit";
  const approved = similar.filter(isApproved);
  const others = approved.flatMap(({ inputJson: json, ...hiding }) =>
    json === null ? [] : [readable(json, hiding)],
  );
  const named = terms.summaryParts.flatMap((part) => ("path" in part ? [part.path] : []));
  const paths = [...new Set(named)].filter((path) => isShown(own, path));
  const amountPath = paths.find((path) => amountAt(own.shown, path) !== undefined);
  const isNew = (path: string) => {
    const field = ownField(own.shown, path);
    if (!field.found || typeof field.value !== "string" || field.value === "") return false;
    // A value that is hidden may be the same one.
    if (!others.every((other) => isShown(other, path))) return false;
    const values = new Set(others.map((other) => hashCanonical(ownField(other.shown, path))));
    return values.size * 2 <= others.length && !values.has(hashCanonical(field));
  };
  return {
    calls: similar.length,
    more,
    approved: approved.length,
    denied: similar.filter(({ decisionType }) => decisionType === "deny").length,
    amount: amountPath === undefined ? null : usualAmount(amountPath, own, others),
    newValues: others.length < minUsual ? [] : paths.filter(isNew),
  };
}

/** Arguments, and what the reader sees of them. */
interface Readable {
  whole: unknown;
  shown: unknown;
}

function isShown({ whole, shown }: Readable, path: string): boolean {
  return isDeepStrictEqual(ownField(whole, path), ownField(shown, path));
}

function usualAmount(path: string, own: Readable, others: readonly Readable[]): CallHistory["amount"] {
  const amounts = others.flatMap(({ shown }) => amountAt(shown, path) ?? []).sort((a, b) => a - b);
  const amount = amountAt(own.shown, path);
  const median = medianOf(amounts);
  if (amount === undefined || median === undefined || median === 0 || amounts.length < minUsual) return null;
  return { path, median, times: amount / median };
}

/** The middle of sorted numbers. */
function medianOf(sorted: readonly number[]): number | undefined {
  const [lower, upper] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return lower === undefined || upper === undefined ? undefined : (lower + upper) / 2;
}
