import type { WithdrawalCause } from "@countersign/policy/internal/display/withdrawal-text";
import { threadRules } from "@countersign/policy/internal/policy/rules/thread-rules";
import type { Approval } from "../approval/approval.js";
import { proposedOf } from "../approval/proposed.js";
import type { ToolUndo } from "../approval/tool-undo.js";
import type { RunnableCall } from "../call/execute/runnable-call.js";
import type { Runtime } from "../call/run/runtime.js";
import type { Subject } from "../call/run/subject.js";
import { approvalOf } from "../call/tool/handler-kind.js";
import type { Tool } from "../call/tool.js";
import { outcomeHash } from "../evidence/outcome-proof.js";
import { undoName } from "./undo-name.js";

/** For whom an undo is judged and runs: for whom the call ran. */
export function subjectOfUndo({ tenantId, threadId, policyContext }: Approval): Subject {
  const { principal: requester, threadRules: given = [] } = policyContext;
  return { tenantId, threadId, requester, threadRules: threadRules(given), threadRulesGiven: given };
}

/** The arguments that a call ran with, which its undo gets. */
export function inputOfUndo({ inputJson, edited }: Approval): string {
  return edited?.inputJson ?? inputJson;
}

/** The undo of a call as a tool of its own, to be judged. No two calls have the same, so equal calls can both be undone. */
export function undoTool({ id, toolName }: Pick<Approval, "id" | "toolName">): Tool {
  return {
    name: undoName(toolName),
    description: `Undoes the call ${id}`,
    handler: () => {
      throw new Error("unreachable: only a tool that knows the call runs");
    },
  };
}

/** An undo that is ready to run, or why it is no longer what people approved. */
type Runnable =
  | { ok: true; call: RunnableCall & { kind: "once" | "idempotent" } }
  | { ok: false; cause: WithdrawalCause; problem: string };

/** The approved undo of a call, ready to run. Its claim reads who has asked for it, and asks the log whether another ran. */
export async function runnableUndo(
  runtime: Pick<Runtime, "store" | "signer" | "undos">,
  undo: Approval,
): Promise<Runnable> {
  const { undoes } = undo.terms;
  const call = undoes && (await runtime.store.readAsSigned(undo.tenantId, undoes.approvalId, runtime.signer));
  const own = call && runtime.undos.get(call.toolName);
  if (!own || !isUndoOf(undo, call)) {
    const problem = `The call of "${undo.toolName}" is no longer the one that was approved, or its tool is not in undoable of createCountersign where countersign.functions are served. It does not run.`;
    return { ok: false, cause: "digest_changed", problem };
  }
  if ((await own.version()) !== call.toolVersion) {
    const problem = `The tool "${call.toolName}" in undoable of createCountersign is not the one whose call should be undone: its description or its schema differs. The undo does not run.`;
    return { ok: false, cause: "tool_changed", problem };
  }
  return {
    ok: true,
    call: {
      kind: own.idempotent ? "idempotent" : "once",
      tool: toolFor(call, own),
      profile: undo.policyContext.profile ?? undefined,
      input: JSON.parse(undo.inputJson),
      approvalId: undo.id,
      proposed: proposedOf(undo, runtime.signer !== undefined),
      subject: subjectOfUndo(undo),
    },
  };
}

/** Whether the call is still the one that ran, with the outcome that people saw. */
function isUndoOf(undo: Approval, call: Approval): boolean {
  return (
    call.undoId === undo.id &&
    call.undoneAt === null &&
    call.status === "executed" &&
    undo.terms.undoes?.outcomeHash === outcomeHash(call) &&
    undo.toolName === undoName(call.toolName) &&
    undo.inputJson === inputOfUndo(call)
  );
}

function toolFor(call: Approval, { undo }: ToolUndo): Tool {
  const outcome: { data?: unknown } = JSON.parse(call.outcomeJson ?? "{}");
  return {
    ...undoTool(call),
    handler: (input: unknown, options) => {
      const approval = approvalOf(options);
      if (!approval) throw new Error("unreachable: every undo has an approval");
      return undo(input as Record<string, unknown>, outcome.data, {
        approval,
        undoneApprovalId: call.id,
        tenantId: call.tenantId,
      });
    },
  };
}
