import { argumentName } from "@countersign/policy/internal/display/argument-name";
import { quotedValue } from "@countersign/policy/internal/display/summary-part";
import { visibleText } from "@countersign/policy/internal/display/visible-text";
import { type GrantScope, grantScopes } from "@countersign/policy/internal/policy/rules/rule";
import { redact } from "@countersign/policy/internal/redaction/redact";
import { isPlainObject } from "@countersign/policy/internal/shared/plain-object";
import type { Approval } from "../approval/approval.js";
import { scopeIdOf } from "../approval/grant.js";
import { GrantConditions } from "./grant-conditions.js";
import type { GrantRequest } from "./grant-request.js";

/** A grant that an approver may want, in a sentence with the call's real arguments. */
export interface GrantSuggestion {
  words: string;
  /** The argument that may be lower in later calls; `null` if all must be as they are. */
  upTo: string | null;
  grant: GrantRequest;
}

const maxNumbers = 2;
const maxValueLength = 60;
const expiresIn = "8h";

/**
 * Grants that an approver of a pending call may want: exactly this call, for each scope that the rule opens, and, for
 * the narrowest scope, the same call with a number up to its value.
 */
export function grantSuggestions(approval: Approval): GrantSuggestion[] {
  const { terms, verdict, status, summary } = approval;
  if (status !== "pending" || verdict !== "ask" || !terms.decisions.includes("approve")) return [];
  const scopes = grantScopes.filter(
    (scope) => terms.grantable.includes(scope) && (scope === "team" || scopeIdOf(approval, scope) !== null),
  );
  const [narrowest] = scopes;
  if (!narrowest) return [];
  const exact = scopes.map((scope) => ({
    words: `Allow exactly this ${scopeWords(approval, scope)}, for 8 hours: ${summary}`,
    upTo: null,
    grant: { scope, arguments: "exact", expiresIn } satisfies GrantRequest,
  }));
  return [...exact, ...upToValue(approval, narrowest)];
}

/**
 * Grants in which one number may be lower and everything else must be equal. Only if all arguments are plain values and
 * none is redacted, because everyone who sees the grant sees its condition.
 */
function upToValue(approval: Approval, scope: GrantScope): GrantSuggestion[] {
  const { terms, toolName } = approval;
  const input: unknown = JSON.parse(approval.inputJson);
  if (!isPlainObject(input)) return [];
  const entries = Object.entries(input);
  const hidden = JSON.stringify(redact(input, terms)) !== JSON.stringify(input);
  if (hidden || entries.some(([, value]) => literal(value) === undefined)) return [];
  const nameOf = (key: string) => named(argumentName([key], terms.names) ?? key);
  const numbers = entries.filter(([, value]) => typeof value === "number" && value > 0).slice(0, maxNumbers);
  return numbers.flatMap(([key, limit]) => {
    const others = entries.filter(([other]) => other !== key);
    const when = [
      `${field(key)} > 0`,
      `${field(key)} <= ${literal(limit)}`,
      ...others.map(([other, value]) => `${field(other)} == ${literal(value)}`),
      `size(input) == ${entries.length}`,
    ].join(" && ");
    if (when.length > 1000 || !new GrantConditions().hold(when, approval, false)) return [];
    const same = others
      .map(([other, value]) => `${nameOf(other)} ${displayed(literal(value) ?? "")}`)
      .join(", ");
    return [
      {
        words: `Allow ${named(terms.label ?? toolName)} with ${nameOf(key)} up to ${literal(limit)}${
          same && ` and the same ${same}`
        } ${scopeWords(approval, scope)}, for 8 hours`,
        upTo: key,
        grant: { scope, arguments: { when }, expiresIn },
      },
    ];
  });
}

function scopeWords({ requesterId }: Approval, scope: GrantScope): string {
  if (scope === "thread") return "in this conversation";
  return scope === "user" ? `for ${named(requesterId ?? "")}` : "for everyone in the team";
}

function field(key: string): string {
  return `input[${JSON.stringify(key)}]`;
}

/** The value as a CEL literal; `undefined` for lists, objects and numbers without a plain form. */
function literal(value: unknown): string | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return JSON.stringify(value);
  if (typeof value !== "number" || Math.abs(value) > Number.MAX_SAFE_INTEGER) return undefined;
  const text = String(value);
  return /^-?\d+(\.\d+)?$/.test(text) ? text : undefined;
}

/** A name, quoted if it could be mistaken for a part of the sentence. */
function named(name: string): string {
  return quotedValue(displayed(name));
}

function displayed(text: string): string {
  return visibleText(text, maxValueLength);
}
