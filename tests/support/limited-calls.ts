import { randomUUID } from "node:crypto";
import type { Policy } from "countersign";
import { defaultTerms, proposeCalls } from "countersign/internal";
import type { Counted } from "countersign/types";
import type { Store } from "./store.js";

type Gate = Parameters<typeof proposeCalls>[0];
type AskedCall = Parameters<typeof proposeCalls>[1]["calls"][number];
type Judged = Extract<Awaited<ReturnType<AskedCall["judge"]>>, { kind: "allowed" | "refused" | "gated" }>;

/** The calls of one response of a model, and for whom it is. */
export interface LimitedResponse {
  calls: readonly { tool?: string; input: Record<string, unknown> }[];
  /** Names the response, so that it can be repeated. @default a name of its own */
  id?: string;
  tenantId?: string;
  requesterId?: string | null;
  threadId?: string | null;
  timeoutMs?: number;
}

/** The way of calls from a policy into a store, through the gate, without an agent and an engine. */
export function limitedCalls(store: Store, policy: Policy) {
  const limits = {
    ...{ pendingPerRun: 1e6, pendingPerThread: 1e6, pendingPerRequester: 1e6, pendingPerTenant: 1e6 },
    ...{ denialsInARow: 1e6, argumentBytes: 1e6, resultBytes: 1e6, stepsPerRun: 950 },
  };
  const gate: Gate = { store, policy, signer: undefined, limits, sendNotified: async () => {} };
  return (response: LimitedResponse) => {
    const { id = randomUUID(), tenantId = "acme", requesterId = "requester", threadId = "thread" } = response;
    return proposeCalls(gate, {
      ...{ requestId: `req_${id}`, tenantId, requesterId, threadId, runId: `run_${id}`, appId: "harness" },
      ...{ requesterName: undefined, agentName: "support", steps: 0 },
      calls: response.calls.map(({ tool = "refund", input }, position) =>
        askedCall({ ...response, id: `apr_${id}_${position}`, requesterId, position, tool, input }),
      ),
    });
  };
}

interface OneCall {
  id: string;
  position: number;
  tool: string;
  input: Record<string, unknown>;
  requesterId: string | null;
  timeoutMs?: number;
}

function askedCall(call: OneCall): AskedCall {
  const { position, tool: toolName, input } = call;
  return {
    ...{ position, toolName, input },
    judge(policy, earlier) {
      const conclude = (counted: Counted) => {
        const principal = call.requesterId === null ? null : { id: call.requesterId, roles: [] };
        const evaluation = policy.evaluate({ toolName, input, principal, thread: null, counted });
        return { evaluation, judged: judged(policy, call, evaluation) };
      };
      if (earlier) {
        const known = earlier.terms.counts.flatMap(({ text, total }) =>
          total === null ? [] : [[text, total]],
        );
        return conclude(Object.fromEntries(known)).judged;
      }
      const counts = policy.countsFor?.({ toolName }) ?? [];
      return counts.length > 0 ? { kind: "counting", counts, conclude } : conclude({}).judged;
    },
  };
}

function judged(
  policy: Policy,
  { id, position, tool, input, timeoutMs = 1_800_000 }: OneCall,
  { kind, terms }: ReturnType<Policy["evaluate"]>,
): Judged {
  if (kind === "allow") return { kind: "allowed" };
  const describe = () => ({
    ...{ id, position, toolCallId: `call_${position}`, toolName: tool, toolVersion: "1" },
    ...{ inputJson: JSON.stringify(input), inputSchemaJson: null, policyVersion: policy.version },
    ...{ policyContext: { principal: null, profile: null, mcp: null }, verdict: kind, reason: terms.reason },
    ...{ summary: tool, risk: terms.risk, approvers: terms.approvers, timeoutMs },
    terms: { ...defaultTerms, decisions: terms.decisions, editable: terms.editable },
  });
  return { kind: "gated", verdict: kind, describe };
}
