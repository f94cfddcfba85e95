import { argumentName, inQuotes, quotedValue, visibleText } from "@countersign/policy/display";
import type { Approval, GrantSuggestion } from "../../api/approval.js";
import { words } from "../../words/words.js";
import { unitAt, unitOf } from "../arguments/argument-fields.js";
import { isRecord } from "../arguments/paths.js";
import { amountText } from "../arguments/value-kind.js";
import { callName } from "./call-name.js";

const maxValue = 60;

type Granted = Pick<Approval, "toolName" | "input" | "requesterId" | "units" | "label" | "names">;

/** What a suggested grant would allow, with the request's real arguments. What only a newer server knows is in its own words. */
export function suggestedGrantText(
  approval: Granted,
  { words: asSent, upTo, grant }: GrantSuggestion,
): string {
  const { input, requesterId, names } = approval;
  const { scopes } = words.values.budget;
  const texts = words.decide.suggested;
  const time = knownTime(grant.expiresIn);
  const whose = grant.scope === "user" ? texts.whoeverAsks(named(requesterId ?? "")) : scopes[grant.scope];
  if (time === undefined) return asSent;
  const kind = { label: approval.label, name: named(callName(approval)) };
  const covers = (what: string) => [what, whose, time].join(" · ");
  if (grant.arguments === "exact") return covers(texts.exact(kind));
  if (typeof upTo !== "string" || !isRecord(input)) return asSent;
  const { [upTo]: limit, ...others } = input;
  if (typeof limit !== "number") return asSent;
  const nameOf = (key: string) => named(argumentName([key], names) ?? key);
  const same = Object.entries(others).map(
    ([key, value]) => `${nameOf(key)} ${valueText(approval, key, value)}`,
  );
  return covers(texts.upTo(kind, nameOf(upTo), numberOf(approval, upTo, limit), same.join(", ")));
}

/** How long a suggested grant lasts, such as "8 hours"; `undefined` for its whole life. */
export function grantTime({ grant }: GrantSuggestion): string | undefined {
  return knownTime(grant.expiresIn) ?? grant.expiresIn;
}

function knownTime(expiresIn: string | undefined): string | undefined {
  return Object.entries(words.values.budget.times).find(([known]) => known === expiresIn)?.[1];
}

function valueText(approval: Granted, key: string, value: unknown): string {
  if (typeof value === "number") return numberOf(approval, key, value);
  return typeof value === "string" ? inQuotes(visible(value), words.display) : JSON.stringify(value);
}

function numberOf({ input, units }: Granted, key: string, value: number): string {
  const unit = unitOf({ keys: [key], unit: unitAt(units, [key]) }, input);
  return amountText(key, value, unit);
}

/** A name, quoted if it could be mistaken for a part of the sentence. */
function named(name: string): string {
  return quotedValue(visible(name), words.display);
}

function visible(text: string): string {
  return visibleText(text, maxValue, words.display);
}
