import { isPromise } from "node:util/types";
import { TooMuchWork, WorkLimit } from "../bounded/work-limit.js";
import { frozen } from "../shared/frozen.js";
import { zodProblems } from "../shared/zod-problems.js";
import { frozenCall } from "./frozen-call.js";
import type { Evaluation, Explanation, MatchedRule } from "./policy.js";
import type { Layer, PolicyCall, ToolFacts } from "./policy-call.js";
import { ruleReasons } from "./rules/added-terms.js";
import { type CompiledRule, keyOf, ruleCovers } from "./rules/compiled-rule.js";
import { withoutLoosening } from "./rules/loosening.js";
import { mergeTerms, nobodyMayDecide, tooFewRoles } from "./rules/merge-terms.js";
import { questionRule } from "./rules/question-rule.js";
import type { Profiles } from "./rules/resolve-profiles.js";
import { type VerdictKind, verdictKinds } from "./rules/rule.js";
import { codeTermsSchema, type Terms } from "./rules/terms.js";
import type { Verdict } from "./rules/verdict.js";
import { allowHasNoChecks } from "./rules/verdict.js";
import { hasPreview, verdictWithoutPreview } from "./without-preview.js";

/** A layer's default for tools that no rule in any layer covers. */
export interface LayerDefault {
  layer: Layer;
  verdict: Verdict;
}

export interface CompiledPolicy {
  version: string;
  rules: readonly CompiledRule[];
  defaults: readonly LayerDefault[];
  profiles: Pick<Profiles, "withParents">;
  /** Whether a limit over time counts the tool's calls. */
  isCounted(tool: ToolFacts): boolean;
}

type SkippedRule = NonNullable<Explanation["skipped"]>[number];

interface Hit extends MatchedRule {
  terms: Terms;
  /** The same object for all calls, so that conclusions from it can be cached. */
  fixed?: true;
}

/** A rule that covers a tool, with its hit. Rules in code have no fixed hit. */
interface Candidate {
  rule: CompiledRule;
  hit: Hit | undefined;
}

/**
 * Verdicts that prevent a tool from running immediately. A rule with one of them also counts if its condition cannot
 * be evaluated; other rules do not.
 */
const tightens: ReadonlySet<VerdictKind> = new Set(["ask", "manual", "deny"]);

const maxRemembered = 10_000;

export interface Evaluator {
  evaluate(call: PolicyCall): Evaluation;
  explain(call: PolicyCall): Evaluation & { matched: MatchedRule[]; skipped: SkippedRule[] };
}

/** Evaluates calls against compiled rules. Caches the rules for each tool and the conclusions from fixed rules. */
export function createEvaluator(policy: CompiledPolicy): Evaluator {
  const candidates = policy.rules.map((rule): Candidate => ({ rule, hit: fixedHit(rule) }));
  const defaults = defaultHits(policy.defaults, "No rule of the policy covers this tool");
  const defaultsOfRuled = defaultHits(policy.defaults, "No rule of the policy applies to this call");
  const byTool = new Map<string, readonly Candidate[]>();
  const remembered = rememberedConclusions();
  const withoutPreview = rememberedWithoutPreview();

  const candidatesFor = (tool: ToolFacts): readonly Candidate[] => {
    const { toolName } = tool;
    // The length keeps apart tools whose two names are the same text when joined.
    const names = `${toolName.length} ${toolName}${keyOf(tool) ?? ""}`;
    let found = byTool.get(names);
    if (!found) {
      found = candidates.filter(({ rule }) => ruleCovers(rule, tool));
      if (byTool.size >= maxRemembered) byTool.clear();
      byTool.set(names, found);
    }
    return found;
  };

  const hitsOf = (call: PolicyCall, skipped?: SkippedRule[]): Hit[] => {
    const hits: Hit[] = [];
    const judging = judgingOf(call, skipped);
    let named = false;
    let ruled = false;
    if (typeof call.toolName !== "string") throw new TypeError("the tool has no name");
    const active = call.profile === undefined ? undefined : policy.profiles.withParents(call.profile);
    if (call.profile !== undefined && !active) {
      hits.push(fault("profile", "profile", `Unknown profile "${call.profile}"`));
      ruled = true;
    }
    for (const candidate of candidatesFor(call)) {
      const { profile, layer } = candidate.rule;
      named ||= layer !== "built-in";
      if (profile !== undefined && !active?.has(profile)) continue;
      const hit = judge(candidate, judging);
      if (!hit) continue;
      hits.push(hit);
      // A tightening hint does not count as a rule for the tool: it must not replace a stricter default.
      ruled ||= !candidate.rule.hints || !tightens.has(hit.verdict);
    }
    if (!ruled) {
      const fallback = named ? defaultsOfRuled : defaults;
      // A tool with a mark has not been forgotten, which is why a default denies.
      hits.push(...(call.marked ? fallback.filter(({ verdict }) => verdict !== "deny") : fallback));
    }
    // Thread rules come after the default, so they can only tighten it.
    for (const rule of (call.thread?.rules ?? []) as readonly CompiledRule[]) {
      const hit = ruleCovers(rule, call) ? judge({ rule, hit: fixedHit(rule) }, judging) : undefined;
      if (!hit) continue;
      const { fixed: _, ...own } = hit;
      const terms = withoutLoosening(hit.verdict, hit.terms);
      hits.push({ ...own, layer: "thread", reason: terms.reason, terms });
    }
    if (!hasPreview(call)) hits.push(...hits.flatMap(withoutPreview));
    if (policy.isCounted(call)) hits.push(countedHit);
    return hits;
  };

  const hitsOrFault = (call: PolicyCall, skipped?: SkippedRule[]): Hit[] => {
    try {
      return hitsOf(call, skipped);
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
      const skipped: SkippedRule[] = [];
      const hits = hitsOrFault(call, skipped);
      const { kind, terms, conflict } = conclude(hits);
      const matched = hits.map(({ terms: _, fixed: __, ...hit }): MatchedRule => hit);
      return { kind, terms, matched: conflict ? [...matched, conflict] : matched, skipped };
    },
  };
}

/** An allowed call would leave no row to count. */
const countedHit: Hit = {
  id: "counted",
  layer: "built-in",
  verdict: "notify",
  because: "a limit over time counts its calls, so each of them is recorded",
  terms: {},
  fixed: true,
};

/** The hit of a rule that is not a function. */
function fixedHit({ id, layer, effect }: CompiledRule): Hit | undefined {
  if (effect.kind === "function") return undefined;
  const because = effect.when ? `${effect.when.text} is true` : "the tool name matches";
  const { verdict, terms } = effect;
  return {
    id,
    layer,
    verdict,
    because,
    ...(terms.reason === undefined ? {} : { reason: terms.reason }),
    terms,
    fixed: true,
  };
}

/** What each rule with `withoutPreview` adds for a call without a preview. */
function rememberedWithoutPreview(): (hit: Hit) => Hit | [] {
  const known = new WeakMap<Hit, Hit>();
  return (hit) => {
    if (hit.terms.withoutPreview === undefined) return [];
    const added = known.get(hit) ?? hitWithoutPreview(hit);
    if (!added) return [];
    if (hit.fixed) known.set(hit, added);
    return added;
  };
}

function hitWithoutPreview(hit: Hit): Hit | undefined {
  const stricter = verdictWithoutPreview(hit.verdict, hit.terms);
  if (!stricter) return undefined;
  const because = `withoutPreview is ${stricter.verdict}, and the call has no preview`;
  return { ...hit, ...stricter, because, reason: stricter.terms.reason };
}

/** A call being evaluated, with state shared by all its rules. */
interface Judging {
  call: PolicyCall;
  /** The frozen copy that rules in code receive. */
  frozen(): PolicyCall;
  /** The work limit shared by all conditions. */
  limit(): WorkLimit;
  /** Collects the rules that cover the tool but do not apply to the call, for explanations. */
  skipped?: SkippedRule[] | undefined;
}

function judgingOf(call: PolicyCall, skipped?: SkippedRule[]): Judging {
  let frozen: PolicyCall | undefined;
  let limit: WorkLimit | undefined;
  return {
    call,
    frozen: () => (frozen ??= frozenCall(call)),
    limit: () => (limit ??= new WorkLimit()),
    skipped,
  };
}

function judge({ rule: { id, layer, effect }, hit }: Candidate, judging: Judging): Hit | undefined {
  const { call, skipped } = judging;
  if (effect.kind === "function") {
    if (layer === "built-in") return judgeByFunction(id, layer, effect.decide, call);
    const found = judgeByFunction(id, layer, effect.decide, judging.frozen());
    if (!found) skipped?.push({ id, layer, because: "the function returned no verdict" });
    return found;
  }
  const { when } = effect;
  if (!hit || !when) return hit;
  try {
    if (judging.limit().run((meter) => when.holds(call, meter))) return hit;
    skipped?.push({ id, layer, because: `${when.text} is false` });
    return undefined;
  } catch (error) {
    if (error instanceof TooMuchWork) return tooMuchWork(id, layer, when.text);
    if (!tightens.has(effect.verdict)) {
      const because = `${when.text} could not be evaluated (${messageOf(error)})`;
      skipped?.push({ id, layer, because });
      return undefined;
    }
    const { fixed: _, ...doubtful } = hit;
    return {
      ...doubtful,
      because: `${when.text} could not be evaluated (${messageOf(error)}), so the rule applies`,
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
    if (isPromise(verdict)) {
      // Avoid an unhandled rejection if it fails later.
      verdict.catch(() => {});
      return fault(id, layer, "The rule is asynchronous; rules must be synchronous");
    }
    const { kind, ...terms } = verdict;
    if (!verdictKinds.includes(kind))
      return fault(id, layer, `The rule returned ${String(kind)} instead of a verdict`);
    const checked = codeTermsSchema.safeParse(terms);
    if (!checked.success) {
      const problems = zodProblems(checked.error);
      return fault(id, layer, `The rule returned an invalid verdict: ${problems.join("; ")}`);
    }
    const { reason, checks } = checked.data;
    if (kind === "allow" && checks)
      return fault(id, layer, `The rule returned an invalid verdict: checks: ${allowHasNoChecks}`);
    return {
      id,
      layer,
      verdict: kind,
      because: "the function returned this verdict",
      reason,
      terms: checked.data,
    };
  } catch (error) {
    return fault(id, layer, `The rule failed: ${messageOf(error)}`);
  }
}

/**
 * Denies regardless of the rule's verdict: otherwise large arguments could prevent a deny rule from being evaluated.
 */
function tooMuchWork(id: string, layer: Layer, text: string): Hit {
  const because = `${text} takes too much work to evaluate for these arguments`;
  const reason = "A condition of the policy takes too much work for arguments of this size";
  return { id, layer, verdict: "deny", because, reason, terms: { reason } };
}

function fault(id: string, layer: Layer, because: string): Hit {
  const reason = "A rule of the policy is broken, so calls are denied until it is fixed";
  return { id, layer, verdict: "deny", because, reason, terms: { reason } };
}

/** The layers' defaults for tools without a rule. Without any default, the tool is denied. */
function defaultHits(defaults: readonly LayerDefault[], reason: string): Hit[] {
  if (defaults.length === 0) {
    return [
      {
        id: "default",
        layer: "built-in",
        verdict: "deny",
        because: "default",
        reason,
        terms: { reason },
        fixed: true,
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
    fixed: true,
  }));
}

interface Conclusion extends Evaluation {
  /** Why the call is denied although no rule denies it. */
  conflict?: MatchedRule;
}

/**
 * Caches conclusions by the sequence of fixed hits, since most calls have the same ones. Conclusions are frozen
 * because all calls share them.
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
      if (!hit.fixed) return conclude(hits);
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
    if (count >= maxRemembered) {
      start = { next: new Map() };
      count = 0;
    }
    return conclusion;
  };
}

/** The strictest verdict, with the merged terms of its rules. */
function conclude(hits: readonly Hit[]): Conclusion {
  const strictness = Math.max(...hits.map((hit) => verdictKinds.indexOf(hit.verdict)));
  const kind = verdictKinds[strictness] ?? "deny";
  const termsOf = (verdict: VerdictKind) =>
    hits.filter((hit) => hit.verdict === verdict).map((hit) => withoutLongerTime(hit));
  // A call that is only recorded keeps the terms of the rules that allow it.
  const giving =
    kind === "notify" && termsOf(kind).length === 1 && hits.includes(countedHit)
      ? termsOf("allow")
      : termsOf(kind);
  // With `manual`, a person acts instead of the tool, so the approvers of matching `ask` rules apply too.
  const asking = kind === "manual" ? termsOf("ask") : [];
  // A question runs nothing, so one person's answer suffices, whatever quorum a rule sets.
  const binding = hits.some(({ id, layer }) => layer === questionRule.layer && id === questionRule.id)
    ? asking.map(forOnePerson)
    : asking;
  const matching = hits.map((hit) => hit.terms);
  const capping = hits.filter(({ layer }) => layer === "thread").map((hit) => hit.terms);
  const terms = mergeTerms(kind, giving, { binding, matching, capping });
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
  const asked = hits.filter(({ verdict }) => verdict === kind || (kind === "manual" && verdict === "ask"));
  return { kind, terms: { ...terms, reasons: ruleReasons(asked, terms) } };
}

function forOnePerson({ quorum: _, distinctRoles: __, ...terms }: Terms): Terms {
  return terms;
}

/** A thread's timeout only shortens the timeout of the policy or the instance. */
function withoutLongerTime({ layer, terms }: Hit): Terms {
  if (layer !== "thread") return terms;
  const { timeout: _, ...others } = terms;
  return others;
}

/** Why no one can satisfy the combined rules for a call. */
function impossibleApprovers(
  kind: VerdictKind,
  bound: readonly Terms[],
  terms: Conclusion["terms"],
): string | undefined {
  if (kind !== "ask" && kind !== "manual") return undefined;
  if (nobodyMayDecide(bound, terms)) return "The rules for this tool have no approver in common";
  if (tooFewRoles(terms))
    return "The rules for this tool require approvals from more different roles than their approvers have";
  if (terms.decideIn.length === 0) return "The rules for this tool have no place to decide in common";
  if (kind === "manual" && terms.quorum > 1)
    return "The rules for this tool require several approvals for a manual action, which one person performs";
  return undefined;
}

/** The first line of a thrown value. It can be anything, and reading it may throw. */
function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error).split("\n")[0] ?? "";
  } catch {
    return "the thrown value cannot be shown";
  }
}
