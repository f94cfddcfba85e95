import * as z from "zod";
import { didYouMean } from "../shared/did-you-mean.js";
import { type FieldProblem, fieldProblems, problemText } from "../shared/zod-problems.js";
import { unknownField } from "./files/schema-problems.js";
import { type VerdictKind, verdictKinds } from "./rules/rule.js";
import { codeTermsSchema } from "./rules/terms.js";
import { allow, allowHasNoChecks, ask, deny, manual, notify } from "./rules/verdict.js";

const rulesExample = "{ send_email: ask(), delete_database: ask() }";

/** What to write instead of fields that other policies have. */
const elsewhere: Readonly<Record<string, string>> = {
  defaultVerdict: "write default: allow()",
  defaultAction: "write default: allow()",
  rules: `write tools: ${rulesExample}`,
  sensitiveTools: `write tools: ${rulesExample}, default: allow()`,
};

const fields = {
  definition: ["agentTools", "tools", "default", "profiles", "mcp"],
  profile: ["extends", "tools"],
  mcp: ["trustedServers"],
};

/** Problems with the fields of a definition. TypeScript finds most of them, but JavaScript does not. */
export function definitionProblems(definition: unknown): string[] {
  if (!isFields(definition)) return [`definePolicy() requires a set of fields: { tools: ${rulesExample} }`];
  const { tools, profiles = {}, mcp = {} } = definition;
  const problems = [...unknownFields(definition, fields.definition), ...toolsProblems(tools, "tools")];
  if (!isFields(profiles)) return [...problems, "profiles: must be a set of profiles by name"];
  for (const [name, profile] of Object.entries(profiles)) {
    const at = `profiles.${name}`;
    problems.push(
      ...(isFields(profile)
        ? [...unknownFields(profile, fields.profile, at), ...toolsProblems(profile.tools, `${at}.tools`)]
        : [`${at}: must be a set of fields; write { tools: ${rulesExample} }`]),
    );
  }
  if (!isFields(mcp)) return [...problems, "mcp: must be a set of fields"];
  return [...problems, ...unknownFields(mcp, fields.mcp, "mcp")];
}

function unknownFields(given: object, known: readonly string[], within?: string): string[] {
  return Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const instead = Object.hasOwn(elsewhere, name) ? elsewhere[name] : undefined;
      const near = didYouMean(name, known) || `; the fields are ${known.join(", ")}`;
      return `${within ? `${within}.` : ""}${name}: unknown field${instead ? `; ${instead}` : near}`;
    });
}

function toolsProblems(tools: unknown, place: string): string[] {
  if (tools === undefined) return [`${place}: is missing; write ${place}: ${rulesExample}`];
  if (isFields(tools)) return [];
  return [
    `${place}: must be verdicts by tool name; write ${rulesExample}, and default: allow() to run all other tools`,
  ];
}

const builders = { allow, notify, ask, manual, deny };
const codeVerdict = codeTermsSchema.extend({ kind: z.enum(verdictKinds) });
const strictVerdict = codeVerdict
  .strict()
  .refine(({ kind, checks }) => kind !== "allow" || !checks, { path: ["checks"], error: allowHasNoChecks });
/** Verdicts as other policies name them. */
const otherWords: Readonly<Record<string, VerdictKind>> = { automatic: "allow", confirm: "ask", true: "ask" };

/** Problems with a verdict in code. */
export function verdictProblems(verdict: unknown, place: string): string[] {
  const parsed = strictVerdict.safeParse(verdict);
  if (parsed.success) return [];
  const named = kindNamedBy(verdict);
  if (named !== undefined) return [`${place}: is not a verdict; write ${named}()`];
  if (!isFields(verdict) || !("kind" in verdict)) {
    return [`${place}: is not a verdict; write allow(), notify(), ask(), manual() or deny()`];
  }
  const problems = fieldProblems(parsed.error).map(({ field, message }): FieldProblem => {
    const path = field.split(".");
    const hint = message.startsWith("Unrecognized key") && unknownField(codeVerdict, path);
    return { field: `${place}.${field}`, message: hint ? `unknown field; ${hint}` : message };
  });
  return [problemText(problems)];
}

/** The verdict that a value names without being one, such as `"ask"`, `{ verdict: "ask" }` or the function itself. */
function kindNamedBy(value: unknown): VerdictKind | undefined {
  const word = isFields(value) ? (value.verdict ?? value.supervision ?? value.action) : value;
  const text = String(word).toLowerCase();
  return verdictKinds.find(
    (kind) =>
      builders[kind] === word ||
      kind === text ||
      (Object.hasOwn(otherWords, text) && otherWords[text] === kind),
  );
}

/** A rule that is a verdict's function itself: `ask` instead of `ask()`. As a rule, it would get the call as its terms. */
export function isUncalled(rule: unknown): boolean {
  return Object.values<unknown>(builders).includes(rule);
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
