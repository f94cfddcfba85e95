import type { AssistantTurn, Conversation, Reply, ToolTurn, Turn, UserTurn } from "countersign/testing";
import { z } from "zod";
import { type Outcome, outcomeOf } from "./script/outcome.js";
import { type Action, parseRequest } from "./script/parse-request.js";
import { lookUp, type ProposedCall, propose, refund } from "./script/propose.js";
import { tell } from "./script/tell.js";

const help =
  'I understand requests such as "Please refund order A-1001", "Refund A-1001 and A-1002 and tell the customer", "Look up order A-1003" and "Delete customer C-7".';

/**
 * The scripted model's mind: what a well-behaved model would answer at the desk. It reads only what follows the last
 * user message, so that every request of a thread is answered for itself.
 */
export function supportScript({ messages }: Conversation): Reply {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const request = messages[at];
  if (request?.role !== "user") return { text: help };
  const answered = readAnswers(messages.slice(at + 1));
  const toolCalls = nextCalls(request, answered);
  if (toolCalls.length > 0) return { toolCalls };
  if (answered.calls.length > 0) return { text: answered.calls.map(sentence).filter(Boolean).join(" ") };
  return {
    text: /\b(hello|hi|hey|good (morning|day|evening))\b/i.test(request.text) ? `Hello! ${help}` : help,
  };
}

interface AnsweredCall {
  call: AssistantTurn["toolCalls"][number];
  outcome: Outcome;
}

interface Answered {
  /** How many answers with calls this request has had. */
  stages: number;
  calls: AnsweredCall[];
}

function readAnswers(turns: readonly Turn[]): Answered {
  const results = new Map(turns.filter(isTool).map((turn) => [turn.toolCallId, turn]));
  const withCalls = turns.filter(isAssistant).filter(({ toolCalls }) => toolCalls.length > 0);
  const calls = withCalls
    .flatMap(({ toolCalls }) => toolCalls)
    .map((call) => {
      const result = results.get(call.id);
      const outcome: Outcome = result
        ? outcomeOf(result)
        : { kind: "failed", message: "There is no result." };
      return { call, outcome };
    });
  return { stages: withCalls.length, calls };
}

function nextCalls(request: UserTurn, { stages, calls }: Answered): ProposedCall[] {
  const plan = parseRequest(request.text);
  const onlyOrder = loneRefund(plan);
  if (onlyOrder !== undefined) return refundAfterLookUp(onlyOrder, stages, calls);
  const stage = plan[stages];
  if (!stage) return [];
  const orderIds = [...new Set(plan.flat().flatMap((action) => action.orderIds))];
  const refunds = calls.filter(({ call }) => call.name === "issue_refund");
  return propose(stage, { orderIds, refunded: refunds.every(({ outcome }) => outcome.kind === "done") });
}

/** The order of a request that asks for one refund and nothing else. */
function loneRefund(plan: readonly Action[][]): string | undefined {
  const actions = plan.flat();
  const [action] = actions;
  if (actions.length !== 1 || action?.verb !== "refund" || action.orderIds.length !== 1) return undefined;
  return action.orderIds[0];
}

function refundAfterLookUp(orderId: string, stages: number, calls: readonly AnsweredCall[]): ProposedCall[] {
  if (stages === 0) return [lookUp(orderId)];
  const found = z.object({ total: z.number().positive() }).safeParse(calls[0]?.outcome.data);
  return stages === 1 && found.success ? [refund(orderId, found.data.total)] : [];
}

/** A lookup that only served the refund is not worth a sentence; one that failed is. */
function sentence({ call, outcome }: AnsweredCall, _index: number, all: readonly AnsweredCall[]): string {
  const servedRefund =
    call.name === "lookup_order" &&
    outcome.kind === "done" &&
    all.length === 2 &&
    all[1]?.call.name === "issue_refund";
  return servedRefund ? "" : tell(call, outcome);
}

function isTool(turn: Turn): turn is ToolTurn {
  return turn.role === "tool";
}

function isAssistant(turn: Turn): turn is AssistantTurn {
  return turn.role === "assistant";
}
