import { currentExecution } from "../../call/run/inngest-context.js";
import { final, mistake } from "../../call/run/mistake.js";
import { checkMark, markOf } from "../../call/tool/needs-approval.js";
import type { Gate } from "../loop/review-calls.js";
import { stepToolIn } from "../loop/step-tool-in.js";
import type { AiTool } from "./ai-tool.js";
import { agentKitToolOf } from "./from-agent-kit.js";
import type { GuardToolsOptions } from "./guard-tools-options.js";

/**
 * Finds mistakes where the tools are guarded: later, the AI SDK would make a tool result of the error.
 * @throws CountersignError `invalid_option` or `invalid_context`, naming the tool and the fix.
 */
export function checkTools(
  { execution, runtime }: Gate,
  tools: Record<string, AiTool>,
  options: GuardToolsOptions,
): void {
  const { durable = [], idempotent = [] } = options;
  for (const [option, names] of Object.entries({ durable, idempotent })) {
    const unknown = names.find((name) => !Object.hasOwn(tools, name));
    if (unknown !== undefined) {
      const known = Object.keys(tools).join(", ") || "none";
      throw mistake(
        "invalid_option",
        `guardTools(): ${option}: there is no tool "${unknown}". There are: ${known}.`,
      );
    }
  }
  for (const [name, { execute, inputSchema }] of Object.entries(tools)) {
    if (!execute && markOf(tools[name] ?? {})) {
      throw mistake(
        "invalid_option",
        `guardTools(): The tool "${name}": has a mark and no execute, so whatever runs it elsewhere asks nobody. Give it an execute, or remove the mark.`,
      );
    }
    if (!execute) continue;
    if ((typeof inputSchema !== "object" && typeof inputSchema !== "function") || inputSchema === null) {
      throw mistake(
        "invalid_option",
        `guardTools(): The tool "${name}": inputSchema: is missing. Give a schema of Zod, another Standard Schema or jsonSchema().`,
      );
    }
    const tool = tools[name] ?? {};
    const ofAgentKit = agentKitToolOf(tool);
    if (ofAgentKit && ofAgentKit.name !== name) {
      throw mistake(
        "invalid_option",
        `guardTools(): The tool "${name}": is "${ofAgentKit.name}" in AgentKit. Name it so here, too: { ${ofAgentKit.name}: fromAgentKit(…) }. People and the policy know it by that name.`,
      );
    }
    try {
      checkMark(runtime, name, markOf(tool) ? tool : (ofAgentKit ?? tool));
    } catch (error) {
      throw final(error);
    }
    const stepTool = durable.includes(name) ? undefined : stepToolIn(execute);
    if (stepTool) {
      throw mistake(
        "invalid_option",
        `guardTools(): The tool "${name}": execute calls ${stepTool}, but it runs inside a step, and steps cannot be nested. Declare it: guardTools(tools, gate, { durable: ["${name}"] }). If this is not Inngest's step, give the variable another name.`,
      );
    }
  }
  if (currentExecution()?.instance !== execution) {
    const names = Object.keys(tools).join(", ") || "no tool";
    throw mistake(
      "invalid_context",
      `guardTools(): gate: belongs to another run than the one that guards ${names}. Make a gate and guard the tools in each run, in the function's handler.`,
    );
  }
}
