import { toolFacts } from "@countersign/policy/internal/policy/tool-facts";
import { warnOnce } from "@countersign/policy/internal/shared/warn-once";
import type { Binding } from "../run/run-scope.js";
import type { Runtime } from "../run/runtime.js";
import type { Subject } from "../run/subject.js";
import type { Tool } from "../tool.js";
import { policyCall } from "./policy-call.js";
import { undoOf } from "./with-undo.js";

/** Whose tools are looked at. */
interface AgentWithTools {
  name: string;
  tools: readonly Tool[];
  /** It chooses other agents. */
  routes?: boolean;
}

/** Names of the tools about which each instance has warned. */
const warned = new WeakMap<Runtime, Set<string>>();

/** For checks of tools outside any run. */
export const nobody: Subject = {
  tenantId: "",
  threadId: null,
  requester: null,
  threadRules: [],
  threadRulesGiven: [],
};

/**
 * Warns once about each tool that is denied only because no rule names it, and about each tool that a rule misses only
 * because of its spelling, whatever other rules or the default say of it: a new tool, or a typo in a rule. It compares
 * with the tools that this agent has, so a rule for another agent's tool may be reported.
 */
export function warnOfUnruledTools(
  { runtime, profile }: Pick<Binding, "runtime" | "profile">,
  agent: AgentWithTools,
): void {
  const known = warned.get(runtime) ?? new Set();
  warned.set(runtime, known);
  const present = agent.tools.map(toolFacts);
  for (const tool of agent.tools) {
    if (known.has(tool.name)) continue;
    warnOfUnnamedUndo(runtime, tool);
    const spelled = runtime.policy.otherSpelling?.(toolFacts(tool), present);
    const unruled = isUnruled(runtime, profile, tool);
    if (!unruled && spelled === undefined) continue;
    known.add(tool.name);
    const hint = spelled === undefined ? "" : ` The policy has a rule for "${spelled}": use one spelling.`;
    runtime.logger.warn(
      !unruled
        ? `The policy has a rule for "${spelled}", but the agent "${agent.name}" has the tool "${tool.name}", which this rule does not cover. Use one spelling.`
        : agent.routes
          ? `No rule of the policy covers "${tool.name}", a tool of the routing agent "${agent.name}", so it is denied and the router chooses no agent. Add a rule for it, such as allow().${hint}`
          : `No rule of the policy covers "${tool.name}", a tool of the agent "${agent.name}", so every call of it is denied. Add a rule for it; use deny() if this is intended.${hint}`,
      { toolName: tool.name, agentName: agent.name },
    );
  }
}

/** Warns once about a tool with an undo that nobody could use. */
function warnOfUnnamedUndo({ logger, undos }: Runtime, tool: Tool): void {
  if (!undoOf(tool) || undos.has(tool.name)) return;
  warnOnce(
    logger,
    `undo:${tool.name}`,
    `The tool "${tool.name}" has an undo, but is not in undoable of createCountersign, so its calls cannot be undone. Name it there: an undo runs outside of the agent's run.`,
    { toolName: tool.name },
  );
}

function isUnruled({ policy }: Runtime, profile: string | undefined, tool: Tool): boolean {
  // A rule may apply to certain arguments only, so the explanation of a call without any proves nothing.
  if (policy.covers?.(toolFacts(tool))) return false;
  // With effects, since a default may deny only what has no preview.
  const { kind, matched } = policy.explain({ ...policyCall(nobody, profile, tool, {}), effects: [] });
  return kind === "deny" && matched.some(({ because }) => because === "default");
}
