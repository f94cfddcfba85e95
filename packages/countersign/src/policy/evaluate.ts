import { type CompiledRule, ruleCovers } from "./compiled-rule.js";
import { withoutLoosening } from "./loosening.js";
import type { Evaluation, Layer, MatchedRule, PolicyCall } from "./policy.js";
import { questionRule } from "./question-rule.js";
import { type Terms, termsSchema, type VerdictKind, verdictKinds } from "./rule.js";
import { mergeTerms, nobodyMayDecide, tooFewRoles } from "./terms.js";
import type { Verdict } from "./verdict.js";

/** A default that a layer sets for tools which no rule in any layer covers. */
export interface LayerDefault {
  layer: Layer;
  verdict: Verdict;
}

export interface CompiledPolicy {
  version: string;
  rules: readonly CompiledRule[];
  defaults: readonly LayerDefault[];
  /** Each profile with all that it extends, itself first. */
  profiles: ReadonlyMap<string, readonly string[]>;
}

interface Hit extends MatchedRule {
  terms: Terms;
  /** One object for all calls, so that what follows from it can be remembered. */
  standing?: true;
}

/** A rule that speaks of a tool, with what it says when it matches; a function says something new each time. */
interface Candidate {
  rule: CompiledRule;
  hit: Hit | undefined;
}

/** Verdicts that keep a tool from running at once. A doubtful condition counts for them and for no others. */
const tightens: ReadonlySet<VerdictKind> = new Set(["ask", "manual", "deny"]);

const mostRemembered = 10_000;

export interface Evaluator {
  evaluate(call: PolicyCall): Evaluation;
  explain(call: PolicyCall): Evaluation & { matched: MatchedRule[] };
}

/** Evaluates calls against compiled rules; remembers which rules speak of a tool, and what follows from them. */
export function createEvaluator(policy: CompiledPolicy): Evaluator {
  const candidates = policy.rules.map((rule): Candidate => ({ rule, hit: standingHit(rule) }));
  const defaults = defaultHits(policy.defaults);
  const byName = new Map<string, readonly Candidate[]>();
  const remembered = rememberedConclusions();

  const candidatesFor = (toolName: string): readonly Candidate[] => {
    let found = byName.get(toolName);
    if (!found) {
      found = candidates.filter(({ rule }) => ruleCovers(rule, toolName));
      if (byName.size >= mostRemembered) byName.clear();
      byName.set(toolName, found);
    }
    return found;
  };

  const hitsOf = (call: PolicyCall): Hit[] => {
    const hits: Hit[] = [];
    let ruled = false;
    if (typeof call.toolName !== "string") throw new TypeError("the tool has no name");
    if (call.profile !== undefined && !policy.profiles.has(call.profile)) {
      hits.push(fault("profile", "profile", `There is no profile "${call.profile}"`));
      ruled = true;
    }
    const active = call.profile === undefined ? undefined : policy.profiles.get(call.profile);
    for (const candidate of candidatesFor(call.toolName)) {
      const { profile } = candidate.rule;
      if (profile !== undefined && !active?.includes(profile)) continue;
      const hit = judge(candidate, call);
      if (!hit) continue;
      hits.push(hit);
      // A hint that tightens is no rule for the tool: it must not replace a stricter default.
      ruled ||= !candidate.rule.hints || !tightens.has(hit.verdict);
    }
    if (!ruled) hits.push(...defaults);
    // A thread's rules come after the default, and so can only add to it.
    for (const rule of call.thread?.rules ?? []) {
      const hit = ruleCovers(rule, call.toolName) ? judge({ rule, hit: standingHit(rule) }, call) : undefined;
      if (!hit) continue;
      const { standing: _, ...own } = hit;
      hits.push({ ...own, layer: "thread", terms: withoutLoosening(hit.terms) });
    }
    return hits;
  };

  const hitsOrFault = (call: PolicyCall): Hit[] => {
    try {
      return hitsOf(call);
    } catch (error) {
      return [fault("policy", "built-in", `The policy failed: ${messageOf(error)}`)];
    }
  };

  return {
    evaluate(call) {
      const { kind, terms } = remembered(hitsOrFault(call));
      return { kind, terms };
    },
    explain(call) {
      const hits = hitsOrFault(call);
      const { kind, terms, conflict } = conclude(hits);
      const matched = hits.map(({ terms: _, standing: __, ...hit }): MatchedRule => hit);
      return { kind, terms, matched: conflict ? [...matched, conflict] : matched };
    },
  };
}

/** What a rule that is no function says whenever it matches. */
function standingHit({ id, layer, says }: CompiledRule): Hit | undefined {
  if (says.how === "code") return undefined;
  const because = says.when ? `${says.when.text} holds` : "the tool's name matches";
  const { verdict, terms } = says;
  return {
    id,
    layer,
    verdict,
    because,
    ...(terms.reason === undefined ? {} : { reason: terms.reason }),
    terms,
    standing: true,
  };
}

function judge({ rule: { id, layer, says }, hit }: Candidate, call: PolicyCall): Hit | undefined {
  if (says.how === "code") return judgeByFunction(id, layer, says.decide, call);
  if (!hit || !says.when) return hit;
  try {
    return says.when.holds(call) ? hit : undefined;
  } catch (error) {
    if (!tightens.has(says.verdict)) return undefined;
    const { standing: _, ...doubtful } = hit;
    return {
      ...doubtful,
      because: `${says.when.text} could not be judged (${messageOf(error)}), so it counts`,
    };
  }
}

function judgeByFunction(
  id: string,
  layer: Layer,
  decide: (call: PolicyCall) => Verdict | undefined,
  call: PolicyCall,
): Hit | undefined {
  try {
    const verdict = decide(call);
    if (verdict === undefined) return undefined;
    const { kind, ...terms } = verdict;
    if (!verdictKinds.includes(kind)) return fault(id, layer, `The rule gave no verdict but ${String(kind)}`);
    const checked = termsSchema.safeParse(terms);
    if (!checked.success) {
      const problems = checked.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
      return fault(id, layer, `The rule gave a faulty verdict: ${problems.join("; ")}`);
    }
    // It took the arguments for what the tool's schema promises: `amount > 100` is false of the text "12,000", too.
    if (kind === "allow" && call.fitsTool && !call.fitsTool()) return misjudged(id, layer);
    const { reason } = checked.data;
    return { id, layer, verdict: kind, because: "the function says so", reason, terms: checked.data };
  } catch (error) {
    return fault(id, layer, `The rule failed: ${messageOf(error)}`);
  }
}

function misjudged(id: string, layer: Layer): Hit {
  const because = "the function allows arguments that do not fit the tool, and so does not count";
  return { id, layer, verdict: "ask", because, terms: {} };
}

function fault(id: string, layer: Layer, because: string): Hit {
  const reason = "A rule of the policy is faulty, so nothing may run until it is mended";
  return { id, layer, verdict: "deny", because, reason, terms: { reason } };
}

/** What the layers say about a tool that nobody wrote a rule for; with no word from any, it is denied. */
function defaultHits(defaults: readonly LayerDefault[]): Hit[] {
  const reason = "No rule of the policy covers this tool";
  if (defaults.length === 0) {
    return [
      {
        id: "default",
        layer: "built-in",
        verdict: "deny",
        because: "default",
        reason,
        terms: { reason },
        standing: true,
      },
    ];
  }
  return defaults.map(({ layer, verdict: { kind, ...terms } }) => ({
    id: `${layer}:default`,
    layer,
    verdict: kind,
    because: "default",
    ...(terms.reason === undefined ? {} : { reason: terms.reason }),
    terms,
    standing: true,
  }));
}

interface Conclusion extends Evaluation {
  /** Why it denies, though no rule does. */
  conflict?: MatchedRule;
}

/**
 * Remembers what followed from the same standing hits in the same order, which is nearly always what a call meets.
 * Frozen, because everyone then shares it.
 */
function rememberedConclusions(): (hits: readonly Hit[]) => Conclusion {
  interface After {
    next: Map<Hit, After>;
    conclusion?: Conclusion;
  }
  let start: After = { next: new Map() };
  let count = 0;
  return (hits) => {
    let at = start;
    for (const hit of hits) {
      if (!hit.standing) return conclude(hits);
      let after = at.next.get(hit);
      if (!after) {
        after = { next: new Map() };
        at.next.set(hit, after);
        count += 1;
      }
      at = after;
    }
    at.conclusion ??= frozen(conclude(hits));
    const { conclusion } = at;
    if (count >= mostRemembered) {
      start = { next: new Map() };
      count = 0;
    }
    return conclusion;
  };
}

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

/** The strictest verdict, with the terms of the rules that gave it. */
function conclude(hits: readonly Hit[]): Conclusion {
  const strictness = Math.max(...hits.map((hit) => verdictKinds.indexOf(hit.verdict)));
  const kind = verdictKinds[strictness] ?? "deny";
  const termsOf = (verdict: VerdictKind) =>
    hits.filter((hit) => hit.verdict === verdict).map((hit) => withoutLongerTime(hit));
  const giving = termsOf(kind);
  // Where a person acts instead of the tool, whoever may not let the tool run may not act either.
  const asking = kind === "manual" ? termsOf("ask") : [];
  // Nothing runs by a question, so it needs one person's answer, however many a rule wants for a call.
  const binding = hits.some(({ id, layer }) => layer === questionRule.layer && id === questionRule.id)
    ? asking.map(forOnePerson)
    : asking;
  const redacting = hits.map((hit) => hit.terms);
  const capping = hits.filter(({ layer }) => layer === "thread").map((hit) => hit.terms);
  const terms = mergeTerms(kind, giving, { binding, redacting, capping });
  const impossible = impossibleApprovers(kind, [...giving, ...binding], terms);
  if (impossible) {
    const conflict: MatchedRule = {
      id: "approvers",
      layer: "built-in",
      verdict: "deny",
      because: impossible,
      reason: impossible,
    };
    return { kind: "deny", terms: { ...terms, reason: impossible }, conflict };
  }
  return { kind, terms };
}

function forOnePerson({ quorum: _, distinctRoles: __, ...terms }: Terms): Terms {
  return terms;
}

/** A thread's time is no time of its own, only a bound of what the policy or the instance gives. */
function withoutLongerTime({ layer, terms }: Hit): Terms {
  if (layer !== "thread") return terms;
  const { timeout: _, ...others } = terms;
  return others;
}

/** Why no people can ever decide a call as its rules want it together. */
function impossibleApprovers(
  kind: VerdictKind,
  bound: readonly Terms[],
  terms: Conclusion["terms"],
): string | undefined {
  if (kind !== "ask" && kind !== "manual") return undefined;
  if (nobodyMayDecide(bound, terms))
    return "The rules for this tool name approvers whom nobody can satisfy at once";
  if (tooFewRoles(terms))
    return "The rules for this tool ask for approvals of more different roles than their approvers have";
  if (kind === "manual" && terms.quorum > 1)
    return "The rules for this tool ask for several people's approval of what one person does by hand";
  return undefined;
}

/** The first line of what was thrown, which may be anything, and may itself throw when it is looked at. */
function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error).split("\n")[0] ?? "";
  } catch {
    return "what it threw cannot be shown";
  }
}
