import type { Policy } from "@countersign/policy/internal/policy/policy";
import { requestHumanInputName } from "@countersign/policy/internal/policy/rules/question-rule";
import { derivedId } from "@countersign/policy/internal/shared/canonical-hash";
import type { Proposed } from "../approval/proposed.js";
import { approvalMissing, type Refusal } from "../approval/refusal-text.js";
import { toolInputJson } from "../approval/tool-input.js";
import { askedBy } from "../call/judge/asked-by.js";
import { judge } from "../call/judge/judge.js";
import { proposedCall } from "../call/judge/proposed-call.js";
import type { Counting, Judged } from "../gate/gate.js";
import { proposeCalls } from "../gate/propose-calls.js";
import type { Store } from "../store/store.js";
import type { McpQuestion } from "./elicitation.js";
import type { McpCall } from "./mcp-call.js";

/** A question that was proposed, or why people are not asked. This is a step's output. */
export interface AskedQuestion {
  key: string;
  approvalId: string;
  proposed: Proposed | null;
  refusal: Refusal | null;
}

/**
 * The ids of one round of questions, the same on every replay. People see them. With the installation's secret in them,
 * nobody can test guesses of the call's hidden arguments against them.
 */
export async function idsOfRound(
  { runtime, callId }: { runtime: { store: Pick<Store, "nameSecret"> }; callId: string },
  round: number,
  keys: readonly string[],
) {
  const requestId = derivedId("req", await runtime.store.nameSecret(), "mcp", callId, round);
  return { requestId, approvalIds: keys.map((key) => derivedId("apr", requestId, key)) };
}

/** Writes the questions of a round as one request. The policy decides who may answer each question. */
export async function askPeople(
  call: McpCall,
  round: number,
  questions: readonly McpQuestion[],
  { held }: { held: boolean },
): Promise<AskedQuestion[]> {
  const { runtime, run, subject, server } = call;
  const keys = questions.map(({ key }) => key);
  const { requestId, approvalIds } = await idsOfRound(call, round, keys);
  const outcomes = await proposeCalls(runtime, {
    ...askedBy(runtime, run, subject),
    requestId,
    agentName: call.agentName,
    calls: questions.map((question, position) => ({
      position,
      toolName: requestHumanInputName,
      input: question.input,
      judge: (policy) =>
        judgeQuestion(call, question, policy, {
          id: approvalIds[position] ?? "",
          position,
          maxTimeoutMs: held ? server.holdMs : undefined,
        }),
    })),
  });
  return outcomes.map((outcome, index) => {
    const asked = { key: keys[index] ?? "", approvalId: approvalIds[index] ?? "" };
    if (outcome.kind === "waits") return { ...asked, proposed: outcome.proposed, refusal: null };
    const refusal = outcome.kind === "refused" ? outcome.refusal : approvalMissing(requestHumanInputName);
    return { ...asked, proposed: null, refusal };
  });
}

/**
 * Evaluates the policy for a question. The server's annotations say nothing about who may answer, so rules do not see
 * them.
 */
function judgeQuestion(
  { runtime, subject, profile, server }: McpCall,
  { input }: McpQuestion,
  policy: Policy,
  { id, position, maxTimeoutMs }: { id: string; position: number; maxTimeoutMs: number | undefined },
): Judged | Counting {
  const checked = toolInputJson(input, runtime.limits.argumentBytes);
  if (!checked.ok) {
    const message = `Nobody was asked: ${checked.problem}`;
    return { kind: "refused", refusal: { code: "invalid_input", approvalId: null, message } };
  }
  const asked = {
    toolName: requestHumanInputName,
    input,
    principal: subject.requester,
    thread: subject.threadId === null ? null : { id: subject.threadId, rules: subject.threadRules },
    profile,
    question: { reason: `The MCP server "${server.name}" asks`, ...server.questions },
  };
  return judge(policy, asked, ({ kind, terms }) => {
    // Nothing but a person's answer answers a question.
    const verdict = kind === "manual" ? kind : "deny";
    const timeoutAtMostMs = Math.min(...[terms.timeoutAtMostMs, maxTimeoutMs].flatMap((ms) => ms ?? []));
    const describe = () =>
      proposedCall(
        runtime,
        { ...terms, timeoutAtMostMs },
        {
          id,
          position,
          verdict,
          toolName: requestHumanInputName,
          toolVersion: "mcpElicitation",
          inputJson: checked.json,
          policyVersion: policy.version,
          policyContext: {
            principal: subject.requester,
            profile: profile ?? null,
            mcp: { server: server.name },
          },
          summary: terms.summary ?? "The MCP server {{server}} asks: {{message}}",
          stored: { decisions: terms.decisions },
        },
      );
    return { kind: "gated", verdict, describe };
  });
}
