import type { Agent, StateData, Tool } from "@inngest/agent-kit";
import { toolFacts } from "../../policy/tool-facts.js";
import { policyCall } from "../review/policy-call.js";
import type { Subject } from "../run/subject.js";
import type { Runtime } from "../runtime.js";
import { isRoutingAgent } from "./agent-kit-shapes.js";
import type { Binding } from "./run-scope.js";

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

/** Warns about tools that are denied only because no rule names them: a new tool, or a typo in a rule. */
export function warnOfUnruledTools({ runtime, profile }: Binding, agent: Agent<StateData>): void {
  const known = warned.get(runtime) ?? new Set();
  warned.set(runtime, known);
  for (const tool of agent.tools.values()) {
    if (known.has(tool.name) || !isUnruled(runtime, profile, tool)) continue;
    known.add(tool.name);
    const spelled = otherSpelling(runtime, tool.name);
    const hint = spelled === undefined ? "" : ` The policy has a rule for "${spelled}": use one spelling.`;
    runtime.logger.warn(
      isRoutingAgent(agent)
        ? `No rule of the policy covers "${tool.name}", a tool of the routing agent "${agent.name}", so it is denied and the router chooses no agent. Add a rule for it, such as allow().${hint}`
        : `No rule of the policy covers "${tool.name}", a tool of the agent "${agent.name}", so every call of it is denied. Add a rule for it; use deny() if this is intended.${hint}`,
      { toolName: tool.name, agentName: agent.name },
    );
  }
}

/** The same words as the policy spells them: `issueRefund` for `issue_refund`. */
function otherSpelling({ policy }: Runtime, name: string): string | undefined {
  const words = name.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());
  const camelCase = words.map((word, index) => (index === 0 ? word : word.replace(/^./, upperCase))).join("");
  const spellings = [words.join("_"), words.join("-"), camelCase];
  return spellings.find((spelling) => spelling !== name && policy.covers?.({ toolName: spelling }));
}

function upperCase(letter: string): string {
  return letter.toUpperCase();
}

function isUnruled({ policy }: Runtime, profile: string | undefined, tool: Tool.Any): boolean {
  // A rule may apply to certain arguments only, so the explanation of a call without any proves nothing.
  if (policy.covers?.(toolFacts(tool))) return false;
  const { kind, matched } = policy.explain(policyCall(nobody, profile, tool, {}));
  return kind === "deny" && matched.every(({ because }) => because === "default");
}
