import { randomUUID } from "node:crypto";
import type { Evaluation, Policy } from "@countersign/policy/internal/policy/policy";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval } from "../approval/approval.js";
import { undoUntil } from "../approval/undo-window.js";
import { withPatterns } from "../approval/visible-arguments.js";
import { judge } from "../call/judge/judge.js";
import { proposedCall } from "../call/judge/proposed-call.js";
import type { Runtime } from "../call/run/runtime.js";
import { policyCall } from "../call/tool/policy-call.js";
import { toolVersion } from "../call/tool/tool-version.js";
import { outcomeHash } from "../evidence/outcome-proof.js";
import type { Counting, Judged } from "../gate/gate.js";
import { proposeCalls } from "../gate/propose-calls.js";
import { inputOfUndo, subjectOfUndo, undoTool } from "./undo-call.js";
import { undoName } from "./undo-name.js";

/** What somebody wants when they ask for an undo. */
export interface Wish {
  principal: Principal;
  reason: string | null;
  /** The undo that must be over before this one runs; `null` if none must. */
  after: string | null;
}

/** Proposes the undo of a call under the policy for `<tool>.undo`. The call is the one that was signed. */
export async function proposeUndo(runtime: Runtime, call: Approval, wish: Wish): Promise<Approval> {
  const requestId = `req_${randomUUID()}`;
  const [outcome] = await proposeCalls(runtime, {
    requestId,
    tenantId: call.tenantId,
    threadId: call.threadId,
    runId: null,
    // A function of the app waits, although no run proposes.
    appId: runtime.appId,
    instanceId: runtime.instanceId,
    agentName: null,
    requesterId: call.requesterId,
    steps: 0,
    calls: [
      {
        position: 0,
        toolName: undoName(call.toolName),
        input: JSON.parse(inputOfUndo(call)),
        judge: (policy) => judgeUndo(runtime, policy, call, wish),
      },
    ],
  });
  if (outcome && "approval" in outcome && outcome.approval) return outcome.approval;
  const refusal = outcome?.kind === "refused" ? outcome.refusal : undefined;
  // The refusal's own words are for models.
  if (refusal?.code === "stopped") {
    const text = `An operator has stopped ${undoName(call.toolName)}, so this cannot be undone until they release it`;
    throw new CountersignError("stopped", text);
  }
  throw new CountersignError("not_undoable", refusal?.message ?? "It was not proposed");
}

/** The policy's verdict on an undo. It leaves a row in any case, so that it starts at most once. */
function judgeUndo(
  runtime: Runtime,
  policy: Policy,
  call: Approval,
  { principal, reason, after }: Wish,
): Judged | Counting {
  const tool = undoTool(call);
  const subject = subjectOfUndo(call);
  const inputJson = inputOfUndo(call);
  // The mark is one of the tool, not of its undo.
  const { marked: _, ...callContext } = call.policyContext;
  const seen = policyCall(subject, call.policyContext.profile ?? undefined, tool, JSON.parse(inputJson));
  return judge(policy, seen, ({ kind, terms }) => {
    const verdict = kind === "allow" ? ("notify" as const) : kind;
    const namesNobody = terms.approvers.roles.length + terms.approvers.ids.length === 0;
    const describe = () => {
      const described = proposedCall(runtime, terms, {
        id: `apr_${randomUUID()}`,
        toolName: tool.name,
        toolVersion: toolVersion(tool),
        inputJson,
        // For its summary only: the undo's own arguments have no schema.
        inputSchemaJson: call.inputSchemaJson,
        policyVersion: policy.version,
        policyContext: { ...callContext, mcp: null },
        verdict,
        hiding: hiddenBy(runtime, call, terms),
        stored: {
          units: { ...call.terms.units, ...terms.units },
          names: { ...call.terms.names, ...terms.names },
          decisions: terms.decisions.filter((type) => type === "approve" || type === "deny"),
          undoes: {
            approvalId: call.id,
            outcomeHash: outcomeHash(call),
            askedBy: principal.id,
            reason,
            after,
          },
        },
        // People who may decide the call, unless a rule for its undo names others.
        ...(namesNobody && { approvers: { roles: call.proposedRoles, ids: call.approvers.ids } }),
      });
      return {
        ...described,
        inputSchemaJson: null,
        undo: { roles: principal.roles, until: undoUntil(call) ?? null },
      };
    };
    return { kind: "gated", verdict, describe };
  });
}

/** What the rules for the call and for its undo hide. */
function hiddenBy(
  { redactPatterns }: Pick<Runtime, "redactPatterns">,
  call: Approval,
  terms: Evaluation["terms"],
): Pick<Approval["terms"], "redact" | "redactPatterns"> {
  return {
    redact: [...new Set([...call.terms.redact, ...terms.redact])].sort(),
    redactPatterns: withPatterns(
      withPatterns(redactPatterns, call.terms.redactPatterns),
      terms.redactPatterns,
    ),
  };
}
