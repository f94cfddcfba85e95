import { argumentName, inQuotes, quotedValue, visibleText } from "@countersign/policy/display";
import type { Approval, GrantSuggestion } from "../../api/approval.js";
import { words } from "../../words/words.js";
import { unitAt, unitOf } from "../arguments/argument-fields.js";
import { isRecord } from "../arguments/paths.js";
import { amountText } from "../arguments/value-kind.js";
import { callName } from "./call-name.js";
import { sentenceOf } from "./sentence.js";

const maxValue = 60;

type Granted = Parameters<typeof sentenceOf>[0] &
  Pick<Approval, "toolName" | "input" | "requesterId" | "units" | "label" | "names">;

/** What a suggested grant would allow, with the call's real arguments. What only a newer server knows is in its own words. */
export function suggestedGrantText(
  approval: Granted,
  { words: asSent, upTo, grant }: GrantSuggestion,
): string {
  const { input, requesterId, names } = approval;
  const { times, scopes } = words.values.budget;
  const texts = words.decide.suggested;
  const time = Object.entries(times).find(([known]) => known === grant.expiresIn)?.[1];
  const whose = grant.scope === "user" ? scopes.user(named(requesterId ?? "")) : scopes[grant.scope];
  if (time === undefined) return asSent;
  if (grant.arguments === "exact") return texts.exact(whose, time, sentenceOf(approval));
  if (typeof upTo !== "string" || !isRecord(input)) return asSent;
  const { [upTo]: limit, ...others } = input;
  if (typeof limit !== "number") return asSent;
  const nameOf = (key: string) => named(argumentName([key], names) ?? key);
  const same = Object.entries(others).map(
    ([key, value]) => `${nameOf(key)} ${valueText(approval, key, value)}`,
  );
  return texts.upTo(
    named(callName(approval)),
    nameOf(upTo),
    numberOf(approval, upTo, limit),
    same.join(", "),
    whose,
    time,
  );
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
