import { createTool, type Tool } from "@inngest/agent-kit";
import { approvalOf, durable, idempotent, withPreview, withUndo } from "countersign";
import type { PreviewContext } from "countersign/types";
import {
  effectsAt,
  type ToolInput,
  type ToolName,
  toolInput,
  toolNames,
  tools,
  undoable,
} from "../scenario/tools.js";
import { readWorld, tellLedger, tellUndo } from "./ledger.js";

/** Every tool has the same effect: it reports its start to the ledger. */
async function act(tool: ToolName, input: ToolInput, options: object): Promise<string> {
  const approval = approvalOf(options);
  await tellLedger("starts", {
    tool,
    input,
    approvalId: approval?.id ?? null,
    idempotencyKey: approval?.idempotencyKey ?? null,
  });
  if (input.fails) throw new Error(`no luck with ${input.ref}`);
  return `carried out ${input.ref} for ${input.amount}`;
}

/** Takes back what a call did, which is another report to the ledger. */
export function undoableTool() {
  return withUndo(plainTool(undoable), async (input, outcome, { approval, undoneApprovalId }) => {
    const { id: approvalId } = approval;
    const { fails } = await tellUndo({ tool: undoable, input, outcome, approvalId, undoneApprovalId });
    if (fails) throw new Error("no luck with the undo");
    return "taken back";
  });
}

/** What a call would change: the world of its reference. */
async function preview(tool: ToolName, input: ToolInput, { moment, approvalId, signal }: PreviewContext) {
  const about = { ref: input.ref, amount: input.amount, moment, approvalId };
  try {
    const version = await readWorld(about, signal);
    return { effects: effectsAt(input.ref, version), state: { version }, reversible: tool === undoable };
  } catch (error) {
    // It took too long. The checker must know, because such a call does not start.
    await tellLedger("failed-previews", about);
    throw error;
  }
}

/** The tools of the agent, each declared as the checker expects. With `previews`, each says what a call would change. */
export function chaosTools({ previews }: { previews: boolean }): Tool.Any[] {
  return toolNames.map((name) => {
    const tool = chaosTool(name);
    return previews ? withPreview(tool, (input: ToolInput, context) => preview(name, input, context)) : tool;
  });
}

function chaosTool(name: ToolName) {
  if (name === undoable) return undoableTool();
  switch (tools[name].kind) {
    case "idempotent":
      return idempotent(plainTool(name));
    case "durable":
      return durable(durableTool(name));
    default:
      return plainTool(name);
  }
}

function plainTool(name: ToolName) {
  return createTool({
    name,
    description: `The tool ${name}`,
    parameters: toolInput,
    handler: (input, options) => act(name, input, options),
  });
}

function durableTool(name: ToolName) {
  return createTool({
    name,
    description: `The tool ${name}`,
    parameters: toolInput,
    handler: async (input, options) => {
      const { step } = options;
      if (!step) throw new Error("A durable tool needs step tools");
      // A failure is the result of the tool, not a reason to retry the step.
      const answer = await step.run(`act:${input.ref}`, () =>
        act(name, input, options).then(
          (text) => ({ text, failed: false }),
          (error: unknown) => {
            if (!input.fails) throw error;
            return { text: String(error), failed: true };
          },
        ),
      );
      if (answer.failed) throw new Error(answer.text);
      return answer.text;
    },
  });
}
