import type { Count, Series } from "./counts.js";
import type { PolicyText } from "./files/policy-text.js";
import type { NamedChannel } from "./named-channels.js";
import type { Layer, PolicyCall, ThreadRule, ToolFacts } from "./policy-call.js";
import type { VerdictKind } from "./rules/rule.js";
import type { ResolvedTerms } from "./rules/term-table.js";

/** A rule that matched a call. */
export interface MatchedRule {
  id: string;
  layer: Layer;
  verdict: VerdictKind;
  /** Why it matched, such as "the tool name matches" or "default". */
  because: string;
  reason?: string | undefined;
}

/** The verdict for a call, with the terms that people need to decide. */
export interface Evaluation {
  kind: VerdictKind;
  terms: ResolvedTerms;
}

/** An evaluation with the rules that led to it. */
export interface Explanation extends Evaluation {
  policyVersion: string;
  /** Every rule that matched, in all layers. */
  matched: MatchedRule[];
  /** Rules that cover the tool, but whose condition was false or could not be evaluated. Absent: not known. */
  skipped?: Pick<MatchedRule, "id" | "layer" | "because">[];
}

/** Decides which calls need approval. Pure: the same call always gets the same verdict. */
export interface Policy {
  /** SHA-256 (hex) of all rules; changes when any rule does. */
  readonly version: string;
  /** The strictest verdict of all matching rules in all layers. Never throws: an error denies. */
  evaluate(call: PolicyCall): Evaluation;
  /** Like `evaluate`, with every matching rule and why it matched, and the rules for the tool that did not. */
  explain(call: PolicyCall): Explanation;
  /** Whether a rule of any profile covers the tool. Used for warnings only. */
  covers?(tool: ToolFacts): boolean;
  /**
   * Whether the verdict on the tool's calls can depend on their effects: whether a rule of any profile, or one of the
   * thread's, reads them, requires a preview or is a function. Absent: it can.
   */
  readsEffects?(tool: ToolFacts, threadRules?: readonly ThreadRule[]): boolean;
  /** What the rules that cover the tool, of any profile, count over time. Absent: nothing. */
  countsFor?(tool: ToolFacts): readonly Count[];
  /** The series in which any rule counts the tool's calls, so that each of them leaves a row. Absent: none. */
  countedIn?(tool: ToolFacts): readonly Series[];
  /** A name in a rule that differs from the tool's only in spelling and covers no present tool. Used for warnings. */
  otherSpelling?(tool: ToolFacts, present: readonly ToolFacts[]): string | undefined;
  /** The channels that its rules name. Used to find misspelled ones. */
  channels?(): readonly NamedChannel[];
  /** The texts of the files in force, from which rules are suggested. Absent: the rules are in code alone. */
  files?(): readonly PolicyText[];
  /** An earlier version of this policy, if this process still has it. */
  at?(version: string): Policy | undefined;
  /** Names of the profiles. */
  readonly profiles: readonly string[];
  /** The profile of calls for which the host sets none. */
  readonly defaultProfile?: string | undefined;
}
