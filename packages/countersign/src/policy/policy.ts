import type { CompiledRule } from "./compiled-rule.js";
import type { Terms, VerdictKind } from "./rule.js";
import type { ResolvedTerms } from "./terms.js";
import type { Verdict } from "./verdict.js";

/** What an MCP server says about its tool. Hints from a stranger, unless the policy trusts the server. */
export interface McpFacts {
  server: string;
  readOnlyHint?: boolean | undefined;
  destructiveHint?: boolean | undefined;
}

/** One call as the policy sees it. */
export interface PolicyCall {
  toolName: string;
  input: unknown;
  /** Who asked the agent to act. */
  principal?: { id: string; roles: readonly string[] } | null | undefined;
  thread?: { id: string; rules?: readonly CompiledRule[] } | null | undefined;
  /** Bound by the host at `guard(agent, { profile })`; the model neither sees nor chooses it. */
  profile?: string | undefined;
  mcp?: McpFacts | undefined;
  /** Whether the arguments fit the tool's schema; where they do not, no function allows the call. Left out: they do. */
  fitsTool?: (() => boolean) | undefined;
  /** The tool is the question tool of Countersign; who may answer, and how soon. */
  question?: Terms | undefined;
}

/** Where a rule stands. The order means nothing to the verdict. */
export const layers = ["built-in", "defaults", "overrides", "code", "profile", "thread"] as const;
export type Layer = (typeof layers)[number];

/** One rule that had something to say about a call. */
export interface MatchedRule {
  id: string;
  layer: Layer;
  verdict: VerdictKind;
  /** Why it matched, where that needs saying: "condition holds", "condition failed: …", "default". */
  because: string;
  reason?: string | undefined;
}

/** The verdict about one call and all that people need to decide about it. */
export interface Evaluation {
  kind: VerdictKind;
  terms: ResolvedTerms;
}

/** An evaluation with its reasons. */
export interface Explanation extends Evaluation {
  policyVersion: string;
  /** Every rule that matched, in all layers. */
  matched: MatchedRule[];
}

/** Decides what needs a person. Pure: the same call always gets the same verdict. */
export interface Policy {
  /** SHA-256 (hex) of all rules; changes when any rule does. */
  readonly version: string;
  /** The strictest verdict of all rules that match, in all layers. Never throws: a fault denies. */
  evaluate(call: PolicyCall): Evaluation;
  /** The same with every rule that matched, and why. */
  explain(call: PolicyCall): Explanation;
  /** An earlier version of this policy, as long as this process still has it. */
  at?(version: string): Policy | undefined;
  /** Names of its profiles. */
  readonly profiles: readonly string[];
  /** The profile of calls whose host named none. */
  readonly defaultProfile?: string | undefined;
}

/** A rule in code: a verdict, or a pure function of the call; `undefined` means that it has nothing to say. */
export type CodeRule = Verdict | ((call: PolicyCall) => Verdict | undefined);
