import { shortest } from "./merging.js";
import { type DecisionType, decisionTypes, type VerdictKind } from "./rule.js";
import type { ResolvedTerms, Term, TermName } from "./term-table.js";
import { defaultTerms, nameInRules, type Terms, termNames, terms } from "./terms.js";

type RulesBySource = Record<"verdict" | "asking" | "matching", readonly Readonly<Record<string, unknown>>[]>;

/**
 * Merges the terms of several rules with the same verdict. The stricter value wins: approvers must satisfy all rules,
 * the risk is the highest, the timeout the shortest. The order of the rules affects only texts: the first summary is
 * used, of calls and of results, and the first unit of an argument; reasons are in rule order.
 *
 * `binding`: terms of looser rules whose approvers and timeouts also apply. `matching`: all matching rules.
 * `capping`: rules whose timeout can only shorten that of the others.
 */
export function mergeTerms(
  kind: VerdictKind,
  all: readonly Terms[],
  {
    binding = [],
    matching = [],
    capping = [],
  }: { binding?: readonly Terms[]; matching?: readonly Terms[]; capping?: readonly Terms[] } = {},
): ResolvedTerms {
  const asking = [...all, ...binding];
  const sources: RulesBySource = { verdict: all, asking, matching: [...asking, ...matching] };
  const merged: ResolvedTerms = { ...defaultTerms };
  for (const name of termNames) setTerm(merged, name, sources);
  // Nobody decides such a call. Without a common name, those of all rules read it: no name at all would mean everybody.
  if (kind === "notify" && nobodyMayDecide(all, merged)) merged.approvers = allNamed(all);
  const caps = capping.flatMap(({ timeout }) => timeout ?? []);
  if (caps.length > 0) merged.timeoutAtMostMs = shortest(caps);
  const named = all.some(({ decisions }) => decisions !== undefined);
  merged.decisions = possibleDecisions(kind, named ? merged.decisions : undefined, merged);
  // With a quorum, no single person may create a grant.
  if (merged.quorum > 1) merged.grantable = [];
  return merged;
}

function allNamed(rules: readonly Terms[]): ResolvedTerms["approvers"] {
  const union = (of: "roles" | "ids") =>
    [...new Set(rules.flatMap(({ approvers }) => approvers?.[of] ?? []))].sort();
  return { roles: union("roles"), ids: union("ids") };
}

function setTerm<Name extends TermName>(merged: ResolvedTerms, name: Name, sources: RulesBySource): void {
  const term: Term<ResolvedTerms[Name]> = terms[name];
  const written = nameInRules(name);
  const rules = sources[term.from ?? "asking"];
  const values = rules.map((rule) => rule[written]).filter((value) => value !== undefined);
  if (values.length > 0) merged[name] = term.merge(values);
}

/** The decision types that all rules allow and that are possible, or only `deny` if there are none. */
function possibleDecisions(
  kind: VerdictKind,
  named: readonly DecisionType[] | undefined,
  { quorum, editable }: Pick<ResolvedTerms, "quorum" | "editable">,
): DecisionType[] {
  const runs = kind !== "manual";
  // With a quorum, no single person may edit or respond. Without `editable` no edit is possible, so a rule that names fields
  // intends to allow edits.
  const several = quorum > 1;
  const possible = {
    approve: runs,
    edit: runs && !several && editable.length > 0,
    deny: true,
    respond: !several,
  };
  const allowed = named ?? (runs ? ["approve", "edit", "deny"] : ["respond", "deny"]);
  const left = decisionTypes.filter((type) => possible[type] && allowed.includes(type));
  return left.length > 0 ? left : ["deny"];
}

/** Whether rules name approvers but nobody satisfies all of them. Such a call could only expire. */
export function nobodyMayDecide(all: readonly Terms[], merged: ResolvedTerms): boolean {
  const named = all.some(
    ({ approvers }) => (approvers?.roles?.length ?? 0) + (approvers?.ids?.length ?? 0) > 0,
  );
  return named && merged.approvers.roles.length === 0 && merged.approvers.ids.length === 0;
}

/** Whether a quorum requires more different roles than exist. Such a call could only expire. */
export function tooFewRoles({ distinctRoles, quorum, approvers }: ResolvedTerms): boolean {
  return distinctRoles && quorum > 1 && approvers.roles.length < quorum;
}
