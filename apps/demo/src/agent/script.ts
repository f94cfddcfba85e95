import type {
  AssistantTurn,
  Conversation,
  ConversationTurn,
  Reply,
  ToolTurn,
  UserTurn,
} from "@countersign/testing";
import { z } from "zod";
import { followUp, isFollowUp } from "./script/ask.js";
import { type Outcome, outcomeOf } from "./script/outcome.js";
import { type Action, parseRequest } from "./script/parse-request.js";
import { lookUp, propose, refund } from "./script/propose.js";
import type { ProposedCall } from "./script/proposed-call.js";
import { tell } from "./script/tell.js";

const help =
  'I understand requests such as "Please refund order A-1001", "Refund A-1001 and A-1002 and tell the customer", "Look up order A-1003", "Pay 5000 EUR to supplier S-3", "Call customer C-3 about A-1005", "Ask which carrier to use for A-1002", "Ask for the customer\'s new address for A-1003", "Book a courier for A-1004" and "Delete customer C-7".';

/**
 * The script of the scripted model. It reads only the last user message and what follows, so that it answers each
 * message of a thread on its own.
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
  /** The number of proposed stages. Calls that follow an answered question belong to its stage. */
  stages: number;
  calls: AnsweredCall[];
  /** The outcomes of the last response. */
  last: AnsweredCall[];
}

function readAnswers(turns: readonly ConversationTurn[]): Answered {
  const results = new Map(turns.filter(isTool).map((turn) => [turn.toolCallId, turn]));
  const withCalls = turns.filter(isAssistant).filter(({ toolCalls }) => toolCalls.length > 0);
  const answers = withCalls.map(({ toolCalls }) =>
    toolCalls.map((call) => {
      const result = results.get(call.id);
      const outcome: Outcome = result
        ? outcomeOf(result)
        : { kind: "failed", message: "There is no result." };
      return { call, outcome };
    }),
  );
  const stages = answers.filter((calls) => !calls.every(({ call }) => isFollowUp(call))).length;
  return { stages, calls: answers.flat(), last: answers.at(-1) ?? [] };
}

function nextCalls(request: UserTurn, { stages, calls, last }: Answered): ProposedCall[] {
  const answered = last.flatMap(({ call, outcome }) => followUp(call, outcome));
  if (answered.length > 0) return answered;
  const plan = parseRequest(request.text);
  const lone = loneRefund(plan);
  if (lone !== undefined) return refundAfterLookUp(lone, stages, calls);
  const stage = plan[stages];
  if (!stage) return [];
  const orderIds = [...new Set(plan.flat().flatMap((action) => action.orderIds))];
  const refunds = calls.filter(({ call }) => call.name === "issue_refund");
  const refunded = refunds.every(({ outcome }) => outcome.kind === "done");
  const asked = plan.flat().some(({ verb }) => verb === "refund");
  return propose(stage, { orderIds, ...(asked && { refunded }) });
}

interface LoneRefund {
  orderId: string;
  /** The order's total if the message names no amount. */
  amount?: number | undefined;
}

/** The refund, if the message asks for one refund of one order and nothing else. */
function loneRefund(plan: readonly Action[][]): LoneRefund | undefined {
  const actions = plan.flat();
  const [action] = actions;
  if (actions.length !== 1 || action?.verb !== "refund" || action.orderIds.length !== 1) return undefined;
  const [orderId] = action.orderIds;
  return orderId === undefined ? undefined : { orderId, amount: action.amount };
}

/** What the script reads of a found order. */
const foundOrder = z.object({ total: z.number().positive(), customerId: z.string() });

function refundAfterLookUp(
  { orderId, amount }: LoneRefund,
  stages: number,
  calls: readonly AnsweredCall[],
): ProposedCall[] {
  if (stages === 0) return [lookUp(orderId)];
  const found = foundOrder.safeParse(calls[0]?.outcome.data);
  if (stages !== 1 || !found.success) return [];
  const { customerId, total } = found.data;
  return [refund({ id: orderId, customerId }, amount ?? total)];
}

/** A lookup for a refund is mentioned only if it failed. */
function sentence({ call, outcome }: AnsweredCall, _index: number, all: readonly AnsweredCall[]): string {
  const servedRefund =
    call.name === "lookup_order" &&
    outcome.kind === "done" &&
    all.length === 2 &&
    all[1]?.call.name === "issue_refund";
  return servedRefund ? "" : tell(call, outcome);
}

function isTool(turn: ConversationTurn): turn is ToolTurn {
  return turn.role === "tool";
}

function isAssistant(turn: ConversationTurn): turn is AssistantTurn {
  return turn.role === "assistant";
}
