import type { Tool } from "@inngest/agent-kit";
import type { RunnableCall } from "../agent-hook/execution/approved-tool-call.js";
import type { Runtime } from "../agent-hook/run/runtime.js";
import type { Subject } from "../agent-hook/run/subject.js";
import { approvalOf } from "../agent-hook/tool/handler-kind.js";
import type { Approval } from "../approval/approval.js";
import type { ToolUndo } from "../approval/tool-undo.js";
import { isOutcomeProven } from "../evidence/outcome-proof.js";
import { saltedHash } from "../evidence/salted-hash.js";
import { proposedOf } from "../external-calls/outcome-of-call.js";
import { threadRules } from "../policy/rules/thread-rules.js";
import { undoName } from "./undo-name.js";

/** For whom an undo is judged and runs: for whom the call ran. */
export function subjectOfUndo({ tenantId, threadId, policyContext }: Approval): Subject {
  const { principal: requester, threadRules: given = [] } = policyContext;
  return { tenantId, threadId, requester, threadRules: threadRules(given), threadRulesGiven: given };
}

/** The hash of how a call ended, which its undo is for. */
export function outcomeHash(call: Approval): string {
  return saltedHash(call, call.outcomeJson ?? "");
}

/** The arguments that a call ran with, which its undo gets. */
export function inputOfUndo({ inputJson, edited }: Approval): string {
  return edited?.inputJson ?? inputJson;
}

/** The undo of a call as a tool of its own, to be judged. No two calls have the same, so equal calls can both be undone. */
export function undoTool({ id, toolName }: Pick<Approval, "id" | "toolName">): Tool.Any {
  return {
    name: undoName(toolName),
    description: `Undoes the call ${id}`,
    handler: () => {
      throw new Error("unreachable: only a tool that knows the call runs");
    },
  };
}

/** The approved undo of a call, ready to run; `undefined` if it is no longer what people approved. */
export async function runnableUndo(
  runtime: Pick<Runtime, "store" | "signer" | "undos">,
  undo: Approval,
): Promise<(RunnableCall & { kind: "once" | "idempotent" }) | undefined> {
  const { undoes } = undo.terms;
  const call = undoes && (await runtime.store.getApproval(undo.tenantId, undoes.approvalId));
  const own = call && runtime.undos.get(call.toolName);
  if (!own || !(await isUndoOf(runtime, undo, call))) return undefined;
  return {
    kind: own.idempotent ? "idempotent" : "once",
    tool: toolFor(call, own),
    profile: undo.policyContext.profile ?? undefined,
    input: JSON.parse(undo.inputJson),
    approvalId: undo.id,
    proposed: proposedOf(runtime, undo),
    subject: subjectOfUndo(undo),
  };
}

/** Whether the call is still the one that ran, with the outcome that people saw. */
async function isUndoOf(
  { signer }: Pick<Runtime, "signer">,
  undo: Approval,
  call: Approval,
): Promise<boolean> {
  return (
    call.undoId === undo.id &&
    call.undoneAt === null &&
    call.status === "executed" &&
    undo.terms.undoes?.outcomeHash === outcomeHash(call) &&
    undo.toolName === undoName(call.toolName) &&
    undo.inputJson === inputOfUndo(call) &&
    (!signer || (await isOutcomeProven(call, proposedOf({ signer }, call), signer)))
  );
}

function toolFor(call: Approval, { undo }: ToolUndo): Tool.Any {
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
