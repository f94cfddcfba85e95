import type { Agent, AgentResult, NetworkRun, StateData } from "@inngest/agent-kit";
import { type Refusal, refusalFor } from "../approval/refusal.js";
import { isOpen } from "../approval/status.js";
import { crashPoint } from "../crash-point.js";
import { type OrchestratorResult, orchestratorResult } from "../orchestrator/orchestrator.js";
import type { Runtime } from "../runtime.js";
import { guardTools } from "./guard-tools.js";
import { currentRun, type InngestRun } from "./inngest-run.js";
import { pinnedPolicyVersion } from "./pin-policy.js";
import { type ProposedOutcome, propose, unknownTool } from "./propose.js";
import {
  type ProposedToolCall,
  repairToolCallIds,
  responseKey,
  separateInputs,
  toolCallsOf,
} from "./tool-calls.js";
import { type WithheldCalls, withholdRefused } from "./transcript.js";

export interface ResponseArgs {
  agent: Agent<StateData>;
  network: NetworkRun<StateData> | undefined;
  result: AgentResult;
}

/**
 * Decides about every tool call of a response before AgentKit runs any: allowed calls stay, gated ones wait for
 * their decision, refused ones are withheld. Returns what `restoreRefused` later needs.
 */
export async function reviewResponse(
  runtime: Runtime,
  args: ResponseArgs,
): Promise<WithheldCalls | undefined> {
  const { agent, result } = args;
  guardTools(runtime, agent);
  const calls = toolCallsOf(result.output);
  if (calls.length === 0) return undefined;
  const run = await currentRun();
  const key = run ? responseKey(run.execution, result) : "outside-inngest";
  repairToolCallIds(key, calls);
  separateInputs(calls);
  const outcomes = await outcomesOf(runtime, args, run, key, calls);
  const refused = new Map<ProposedToolCall["tool"], Refusal>();
  for (const { position, tool } of calls) {
    const outcome = outcomes[position];
    if (outcome?.kind === "allowed")
      runtime.tickets.set(tool.input, { kind: "allowed", toolName: tool.name });
    else if (outcome?.kind === "approved") {
      const { approvalId } = outcome;
      runtime.tickets.set(tool.input, { kind: "approved", toolName: tool.name, approvalId });
    } else refused.set(tool, outcome?.refusal ?? notDecided(tool.name));
  }
  if (refused.size === 0) return undefined;
  const withheld = { output: result.output, refused };
  result.output = withholdRefused(result.output, refused);
  return withheld;
}

type Outcome =
  | { kind: "allowed" }
  | { kind: "approved"; approvalId: string }
  | { kind: "refused"; refusal: Refusal };

async function outcomesOf(
  runtime: Runtime,
  { agent, network, result }: ResponseArgs,
  run: InngestRun | undefined,
  key: string,
  calls: readonly ProposedToolCall[],
): Promise<Outcome[]> {
  const allowed = calls.map(
    ({ tool }) =>
      agent.tools.has(tool.name) &&
      typeof tool.input === "object" &&
      runtime.policy.evaluate({ toolName: tool.name, input: tool.input }).kind === "allow",
  );
  if (!run) {
    return calls.map(({ tool, position }) =>
      allowed[position]
        ? { kind: "allowed" }
        : {
            kind: "refused",
            refusal: agent.tools.has(tool.name)
              ? outsideInngest(tool.name)
              : unknownTool(tool.name, agent.tools),
          },
    );
  }
  // The quick way is only open while the policy is the one that the run began with. After a redeploy every
  // response goes through its proposal, whose memoized verdicts decide for the calls that were gated before.
  const pinned = await pinnedPolicyVersion(runtime, run);
  if (pinned === runtime.policy.version && allowed.every(Boolean))
    return calls.map(() => ({ kind: "allowed" }));

  const subject = runtime.subjectOfState(network?.state);
  const { requestId, outcomes } = await run.step.run(`countersign:propose:${key}`, async () => {
    const input = { key, runId: run.runId, agentName: result.agentName, subject, tools: agent.tools, calls };
    const proposal = await propose(runtime, input);
    crashPoint("after-propose");
    return proposal;
  });
  if (!outcomes.some((outcome) => outcome.kind === "waits"))
    return outcomes.map((outcome) => decided(outcome, []));
  const decisions = await awaitDecisions(runtime, run, key, requestId);
  return outcomes.map((outcome) => decided(outcome, decisions));
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
  } catch {
    return run.step.run(`countersign:give-up:${key}`, async () => {
      const { approvals } = await runtime.store.withdrawRequest(requestId, "orchestration_failed");
      return approvals.map((approval) => ({
        approvalId: approval.id,
        open: isOpen(approval.status),
        refusal: refusalFor(approval) ?? null,
      }));
    });
  }
}

function decided(outcome: ProposedOutcome, decisions: OrchestratorResult["decisions"]): Outcome {
  if (outcome.kind !== "waits") return outcome;
  const decision = decisions.find((candidate) => candidate.approvalId === outcome.approvalId);
  if (!decision || decision.open)
    return { kind: "refused", refusal: notDecided("this tool", outcome.approvalId) };
  if (decision.refusal) return { kind: "refused", refusal: decision.refusal };
  return { kind: "approved", approvalId: outcome.approvalId };
}

function notDecided(tool: string, approvalId: string | null = null): Refusal {
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
