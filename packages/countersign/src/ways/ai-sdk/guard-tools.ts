import { markOf, shareMark } from "../../call/tool/needs-approval.js";
import { warnOfUnruledTools } from "../../call/tool/tool-warnings.js";
import { shareUndo, undoOf } from "../../call/tool/with-undo.js";
import type { Tool } from "../../call/tool.js";
import { insideOf, type RunGate } from "../loop/run-gate.js";
import type { AiCallOptions, AiTool } from "./ai-tool.js";
import { checkTools } from "./check-tools.js";
import { agentKitToolOf } from "./from-agent-kit.js";
import type { GuardToolsOptions } from "./guard-tools-options.js";
import { GuardedTools } from "./guarded-tools.js";

/**
 * The same tools for `generateText`, `streamText` and `ToolLoopAgent`, with calls that pass the gate: allowed ones run,
 * others wait for people and then run at most once, with exactly what was approved. With a {@link durableModel}, the calls
 * of one response are one request and wait together. A call that did not run is an error that the model reads.
 *
 * A tool's own `needsApproval` means "ask people" here, and never loosens the policy. Tools without `execute` stay as they
 * are: their calls run elsewhere.
 *
 * @throws CountersignError `invalid_option` for a tool without a schema, for one that uses steps and is not durable, and
 * for anything but a gate; `invalid_context` for the gate of another run. All name what to change.
 *
 * @example
 * ```ts
 * import type { ToolSet } from "ai";
 * import type { RunGate } from "countersign";
 * import { guardTools } from "countersign/ai-sdk";
 *
 * export const guarded = <Tools extends ToolSet>(tools: Tools, gate: RunGate) => guardTools(tools, gate);
 * ```
 */
export function guardTools<Tools extends Record<string, AiTool>>(
  tools: Tools,
  gate: RunGate,
  options: GuardToolsOptions<keyof Tools & string> = {},
): Tools {
  const inside = insideOf(gate);
  checkTools(inside, tools, options);
  const known = Object.entries(tools).flatMap(([name, tool]) => (tool.execute ? [knownAs(name, tool)] : []));
  warnOfUnruledTools(inside, { name: inside.agentName, tools: known });
  const guarded = new GuardedTools(inside, tools, options);
  const own = Object.entries(tools).map(([name, tool]) => [
    name,
    tool.execute ? guardedTool(guarded, name, tool) : tool,
  ]);
  return Object.fromEntries(own) as Tools;
}

/** What the policy knows of a tool before its schema is read. */
function knownAs(name: string, tool: AiTool): Tool {
  const known: Tool = { name, handler: () => undefined, ...agentKitToolOf(tool) };
  if (!markOf(known)) shareMark(known, tool);
  if (!undoOf(known)) shareUndo(known, tool);
  return known;
}

function guardedTool(guarded: GuardedTools, name: string, tool: AiTool): AiTool {
  return {
    ...tool,
    // The gate asks.
    needsApproval: undefined,
    execute: (input: unknown, options: AiCallOptions) => guarded.call(name, input, options),
    toModelOutput: (options: never) => guarded.modelOutput(tool, options),
  };
}
