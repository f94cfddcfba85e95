import type { Effect } from "../display/effect-text.js";
import type { Counted } from "./counts.js";
import type { Terms } from "./rules/terms.js";

/** An MCP server's description of its tool. Unverified hints, unless the policy trusts the server. */
export interface McpFacts {
  server: string;
  /** The server's own name of the tool. The name in rules and calls has the server in front. */
  tool?: string | undefined;
  readOnlyHint?: boolean | undefined;
  destructiveHint?: boolean | undefined;
}

/** A compiled rule of one thread, as `threadRules()` makes it. */
export interface ThreadRule {
  readonly id: string;
  readonly tools: readonly string[];
  readonly effect: object;
}

/** One call as the policy sees it. */
export interface PolicyCall {
  toolName: string;
  input: unknown;
  /** Who asked the agent to act. */
  principal?: { id: string; roles: readonly string[] } | null | undefined;
  thread?: { id: string; rules?: readonly ThreadRule[] } | null | undefined;
  /** Bound by the host at `guard(agent, { profile })`; the model neither sees nor chooses it. */
  profile?: string | undefined;
  mcp?: McpFacts | undefined;
  /** What the tool's own mark asks for. */
  marked?: Terms | undefined;
  /** Set if the tool is Countersign's question tool: who may answer, and how soon. */
  question?: Terms | undefined;
  /** What the call would change. Absent or `null`: unknown, because its tool has no preview or the preview failed. */
  effects?: readonly Effect[] | null | undefined;
  /** Whether the call can be taken back: yes, within a time such as "30m", or no. Unknown counts as no. */
  reversible?: boolean | string | null | undefined;
  /** What its rules count over time, with this call. Absent or `null`: unknown. */
  counted?: Counted | null | undefined;
}

/** A tool as rules find it: by its name and, if it belongs to an MCP server, by the server's own name of it. */
export type ToolFacts = Pick<PolicyCall, "toolName" | "mcp">;

/** The source of a rule. The order of the layers does not affect verdicts. */
export const layers = ["built-in", "defaults", "overrides", "code", "profile", "thread"] as const;
export type Layer = (typeof layers)[number];
