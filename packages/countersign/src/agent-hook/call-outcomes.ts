import { type Refusal, refusalFor } from "../approval/refusal.js";
import { isOpen } from "../approval/status.js";
import { isPlainObject } from "../approval/tool-input.js";
import { crashPoint } from "../crash-point.js";
import { type OrchestratorResult, orchestratorResult } from "../orchestrator/orchestrator.js";
import type { Runtime } from "../runtime.js";
import type { InngestRun } from "./inngest-run.js";
import { pinnedPolicyVersion } from "./pin-policy.js";
import { policyCall } from "./policy-call.js";
import { type ProposedOutcome, type ProposeInput, propose, unknownTool } from "./propose.js";
import type { ProposedToolCall } from "./tool-calls.js";
import { fits } from "./validate-input.js";

/** What becomes of one call: it runs, runs under its approval, or is answered without running. */
export type CallOutcome =
  | { kind: "allowed" }
  | { kind: "approved"; approvalId: string; editedInput?: Record<string, unknown> }
  | { kind: "responded"; response: unknown }
  | { kind: "refused"; refusal: Refusal };

type Response = Omit<ProposeInput, "runId" | "policyChanged">;

/** Decides about all calls of one response; waits, durably, where a person must. */
export async function callOutcomes(
  runtime: Runtime,
  run: InngestRun | undefined,
  response: Response,
): Promise<CallOutcome[]> {
  const { calls, tools, key } = response;
  const allowed = calls.map((call) => isPlainlyAllowed(runtime, response, call));
  if (!run) {
    return calls.map(({ tool, position }) => {
      if (allowed[position]) return { kind: "allowed" };
      const refusal = tools.has(tool.name) ? outsideInngest(tool.name) : unknownTool(tool.name, tools);
      return { kind: "refused", refusal };
    });
  }
  // The quick way is only open while the policy is the one that the run began with. After a change every response
  // goes through its proposal, whose memoized verdicts decide for the calls that were gated before.
  const pinned = await pinnedPolicyVersion(runtime, run);
  const changed = pinned !== runtime.policy.version;
  if (!changed && allowed.every(Boolean)) return calls.map(() => ({ kind: "allowed" }));
  if (changed && run.hasGoneFurther() && wasPlainlyAllowed(runtime, pinned, response)) {
    return calls.map(() => ({ kind: "allowed" }));
  }

  const { requestId, outcomes } = await run.step.run(`countersign:propose:${key}`, async () => {
    crashPoint("before-propose");
    const proposal = await propose(runtime, { ...response, runId: run.runId, policyChanged: changed });
    crashPoint("after-propose");
    return proposal;
  });
  const waits = outcomes.some((outcome) => outcome.kind === "waits");
  const decisions = waits ? await awaitDecisions(runtime, run, key, requestId) : [];
  const decided: CallOutcome[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    const concluded = await conclude(runtime, run, outcome, decisions);
    const name = calls[index]?.tool.name ?? "";
    const runs = concluded.kind === "allowed" || concluded.kind === "approved";
    // A tool may be gone by the time of its approval; AgentKit would fail the whole run for it.
    decided.push(
      runs && !tools.has(name) ? { kind: "refused", refusal: unknownTool(name, tools) } : concluded,
    );
  }
  return decided;
}

/**
 * True when the run has been past this response before the policy changed, and the policy of then allowed all its
 * calls: they have run, and asking about them now could only mislead.
 */
function wasPlainlyAllowed(runtime: Runtime, version: string, response: Response): boolean {
  const then = runtime.policy.at?.(version);
  if (!then) return false;
  return response.calls.every((call) =>
    isPlainlyAllowed({ policy: then, shadowPolicy: undefined }, response, call),
  );
}

/** True when nothing needs to be written: the policy allows it, and so would a candidate that is being rehearsed. */
function isPlainlyAllowed(
  { policy, shadowPolicy }: Pick<Runtime, "policy" | "shadowPolicy">,
  { subject, profile, tools }: Response,
  { tool: call }: ProposedToolCall,
): boolean {
  const tool = tools.get(call.name);
  if (!tool || !isPlainObject(call.input)) return false;
  const seen = policyCall(subject, profile, tool, call.input, () => fits(tool, call.input));
  return policy.evaluate(seen).kind === "allow" && (shadowPolicy?.evaluate(seen).kind ?? "allow") === "allow";
}

/** Invokes the orchestrator; if even that fails, ends the request in the database, so that nothing stays open. */
async function awaitDecisions(
  runtime: Runtime,
  run: InngestRun,
  key: string,
  requestId: string,
): Promise<OrchestratorResult["decisions"]> {
  try {
    const result: unknown = await run.step.invoke(`countersign:await:${key}`, {
      function: runtime.orchestrator,
      data: { requestId },
    });
    return orchestratorResult.parse(result).decisions;
  } catch (error) {
    console.error(
      "Countersign: waiting for decisions failed, so the open calls are withdrawn. Are countersign.functions served?",
      String(error),
    );
    return run.step.run(`countersign:give-up:${key}`, async () => {
      const { approvals } = await runtime.store.withdrawRequest(requestId, "orchestration_failed");
      return approvals.map((approval) => ({
        approvalId: approval.id,
        open: isOpen(approval.status),
        responded: approval.status === "responded",
        edited: approval.edited !== null,
        refusal: refusalFor(approval) ?? null,
      }));
    });
  }
}

async function conclude(
  runtime: Runtime,
  run: InngestRun,
  outcome: ProposedOutcome,
  decisions: OrchestratorResult["decisions"],
): Promise<CallOutcome> {
  if (outcome.kind !== "waits") return outcome;
  const { approvalId } = outcome;
  const decision = decisions.find((candidate) => candidate.approvalId === approvalId);
  if (!decision || decision.open) return { kind: "refused", refusal: notDecided("this tool", approvalId) };
  if (decision.refusal) return { kind: "refused", refusal: decision.refusal };
  if (!decision.responded && !decision.edited) return { kind: "approved", approvalId };
  // Large as it may be, it travels from the database to this step and no further: no event carries it.
  const replacement = await run.step.run(`countersign:replacement:${approvalId}`, () =>
    runtime.store.readReplacement(approvalId),
  );
  if (decision.responded)
    return { kind: "responded", response: JSON.parse(replacement.responseJson ?? "null") };
  return { kind: "approved", approvalId, editedInput: JSON.parse(replacement.editedInputJson ?? "{}") };
}

export function notDecided(tool: string, approvalId: string | null = null): Refusal {
  return {
    code: "approval_missing",
    approvalId,
    message: `This call of ${tool} needed an approval and none was found, so it did not run.`,
  };
}

function outsideInngest(tool: string): Refusal {
  return {
    code: "outside_inngest",
    approvalId: null,
    message: `${tool} needs a person's approval, which can only be awaited inside an Inngest function, so it did not run. Developer: call agent.run() or network.run() from the handler of inngest.createFunction().`,
  };
}
