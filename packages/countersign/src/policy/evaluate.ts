import { type CompiledRule, ruleCovers } from "./compiled-rule.js";
import type { Evaluation, Layer, MatchedRule, PolicyCall } from "./policy.js";
import { type Terms, termsSchema, type VerdictKind, verdictKinds } from "./rule.js";
import { mergeTerms, nobodyMayDecide } from "./terms.js";
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
}

/** Verdicts that keep a tool from running at once. A doubtful condition counts for them and for no others. */
const tightens: ReadonlySet<VerdictKind> = new Set(["ask", "manual", "deny"]);

const mostCachedNames = 10_000;

/** Evaluates calls against compiled rules; remembers for each tool name which rules speak of it. */
export function createEvaluator(policy: CompiledPolicy) {
  const byName = new Map<string, readonly CompiledRule[]>();

  const rulesFor = (toolName: string): readonly CompiledRule[] => {
    let rules = byName.get(toolName);
    if (!rules) {
      rules = policy.rules.filter((rule) => ruleCovers(rule, toolName));
      if (byName.size >= mostCachedNames) byName.clear();
      byName.set(toolName, rules);
    }
    return rules;
  };

  const hitsOf = (call: PolicyCall): Hit[] => {
    const hits: Hit[] = [];
    if (call.profile !== undefined && !policy.profiles.has(call.profile)) {
      hits.push(fault("profile", "profile", `There is no profile "${call.profile}"`));
    }
    const active = call.profile === undefined ? undefined : policy.profiles.get(call.profile);
    for (const rule of rulesFor(call.toolName)) {
      if (rule.profile !== undefined && !active?.includes(rule.profile)) continue;
      const hit = judge(rule, call);
      if (hit) hits.push(hit);
    }
    // A hint that tightens is no rule for the tool: it must not replace a stricter default.
    if (hits.every((hit) => hit.layer === "built-in" && tightens.has(hit.verdict))) {
      hits.push(...defaultHits(policy.defaults));
    }
    for (const rule of call.thread?.rules ?? []) {
      const hit = ruleCovers(rule, call.toolName) ? judge(rule, call) : undefined;
      if (hit && tightens.has(hit.verdict)) hits.push(withoutLoosening(hit));
    }
    return hits;
  };

  return (call: PolicyCall): Evaluation & { matched: MatchedRule[] } => {
    try {
      return conclude(hitsOf(call));
    } catch (error) {
      return conclude([fault("policy", "built-in", `The policy failed: ${messageOf(error)}`)]);
    }
  };
}

/** What a thread may not say: it would add ways to decide, or let a tool run again. */
function withoutLoosening(hit: Hit): Hit {
  const { decisions: _, idempotent: __, ...terms } = hit.terms;
  return { ...hit, terms };
}

function judge(rule: CompiledRule, call: PolicyCall): Hit | undefined {
  const { id, layer, says } = rule;
  if (says.how === "code") {
    try {
      const verdict = says.decide(call);
      if (verdict === undefined) return undefined;
      const { kind, ...terms } = verdict;
      if (!verdictKinds.includes(kind))
        return fault(id, layer, `The rule gave no verdict but ${String(kind)}`);
      const checked = termsSchema.safeParse(terms);
      if (!checked.success) {
        const problems = checked.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
        return fault(id, layer, `The rule gave a faulty verdict: ${problems.join("; ")}`);
      }
      const { reason } = checked.data;
      return { id, layer, verdict: kind, because: "the function says so", reason, terms: checked.data };
    } catch (error) {
      return fault(id, layer, `The rule failed: ${messageOf(error)}`);
    }
  }
  const hit = { id, layer, verdict: says.verdict, reason: says.terms.reason, terms: says.terms };
  if (!says.when) return { ...hit, because: "the tool's name matches" };
  try {
    return says.when.holds(call) ? { ...hit, because: `${says.when.text} holds` } : undefined;
  } catch (error) {
    if (!tightens.has(says.verdict)) return undefined;
    return { ...hit, because: `${says.when.text} could not be judged (${messageOf(error)}), so it counts` };
  }
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
      { id: "default", layer: "built-in", verdict: "deny", because: "default", reason, terms: { reason } },
    ];
  }
  return defaults.map(({ layer, verdict: { kind, ...terms } }) => ({
    id: `${layer}:default`,
    layer,
    verdict: kind,
    because: "default",
    reason: terms.reason,
    terms,
  }));
}

/** The strictest verdict, with the terms of the rules that gave it. */
function conclude(hits: readonly Hit[]): Evaluation & { matched: MatchedRule[] } {
  const strictness = Math.max(...hits.map((hit) => verdictKinds.indexOf(hit.verdict)));
  const kind = verdictKinds[strictness] ?? "deny";
  const giving = hits.filter((hit) => hit.verdict === kind).map((hit) => hit.terms);
  // Where a person acts instead of the tool, whoever may not let the tool run may not act either.
  const binding =
    kind === "manual" ? hits.filter((hit) => hit.verdict === "ask").map((hit) => hit.terms) : [];
  const terms = mergeTerms(kind, giving, {
    binding,
    redacting: hits.map((hit) => hit.terms),
  });
  const matched = hits.map(({ terms: _, ...hit }) => hit);
  if ((kind === "ask" || kind === "manual") && nobodyMayDecide([...giving, ...binding], terms)) {
    const reason = "The rules for this tool name approvers whom nobody can satisfy at once";
    const conflict = {
      id: "approvers",
      layer: "built-in",
      verdict: "deny",
      because: reason,
      reason,
    } as const;
    return { kind: "deny", terms: { ...terms, reason }, matched: [...matched, conflict] };
  }
  return { kind, terms, matched };
}

/** The first line of what was thrown, which may be anything, and may itself throw when it is looked at. */
function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error).split("\n")[0] ?? "";
  } catch {
    return "what it threw cannot be shown";
  }
}
