import { withdrawalText } from "@countersign/policy/internal/display/withdrawal-text";
import { storableText } from "@countersign/policy/internal/shared/storable-text";
import type { ApprovalView } from "countersign/client";
import { requestOf } from "countersign/internal";
import type { LastTurn, ThreadMessage, Turn } from "countersign/types";

/** A turn as chat front ends show it, whatever their protocol. */
export interface ChatTurn {
  id: string;
  /** The user's message that began it. */
  asked: Turn["asked"];
  status: LastTurn["status"];
  /** One step for each response of a model. */
  steps: ChatStep[];
}

export interface ChatStep {
  texts: string[];
  calls: ChatCall[];
}

export interface ChatCall {
  toolCallId: string;
  toolName: string;
  /** The arguments as this reader may see them; after an edit, the arguments that run. */
  input: unknown;
  /** The gate's view of the call for this reader; `null` if it needed no approval, or this reader may not see that. */
  approval: ApprovalView | null;
  /** Whether this reader can answer it in the chat. */
  asks: boolean;
  /** The result that the model got; `null` while the call has not ended. */
  result: { output: unknown } | { error: string } | null;
}

/** Calls that need approval, whose response is not in the thread yet. */
export interface WaitingRequest {
  modelText: string | null;
  approvals: readonly ApprovalView[];
}

/**
 * Joins the entries of the thread with the calls that are not in it yet.
 *
 * @param asks Whether the reader can answer a call in the chat.
 */
export function chatTurn(
  turn: Turn & { status: LastTurn["status"] },
  approvals: readonly ApprovalView[],
  waiting: readonly WaitingRequest[],
  asks: (approval: ApprovalView) => boolean,
): ChatTurn {
  const steps = [
    ...stepsOf(turn.messages, approvals, asks),
    ...waiting.map(({ modelText, approvals: calls }) => ({
      texts: modelText ? [modelText] : [],
      calls: calls.map((approval) => ({
        toolCallId: approval.toolCallId,
        toolName: approval.toolName,
        input: approval.editedInput ?? approval.input,
        approval,
        asks: asks(approval),
        result: endOf(approval),
      })),
    })),
  ];
  return { id: turn.id, asked: turn.asked, status: turn.status, steps: withOwnIds(steps) };
}

/** Returns a lookup of the calls that are in the thread. */
export function recordedCalls(messages: readonly ThreadMessage[]): {
  has(call: Pick<ApprovalView, "requestId" | "toolCallId">): boolean;
} {
  const keys = new Set(
    messages.flatMap((message) =>
      "toolCalls" in message ? message.toolCalls.map(({ id }) => keyOf(requestOf(message), id)) : [],
    ),
  );
  return {
    has: ({ requestId, toolCallId }) =>
      keys.has(keyOf(requestId, toolCallId)) || keys.has(keyOf(undefined, toolCallId)),
  };
}

/**
 * The key of a call. Two responses may have calls with the same id, and entries that the host wrote do not name
 * their request.
 */
function keyOf(requestId: string | undefined, callId: string): string {
  return JSON.stringify([requestId, storableText(callId)]);
}

/** The approval of a call in a message; `null` if there is none, or if it could belong to another call. */
function approvalOf(
  message: ThreadMessage,
  callId: string,
  approvals: readonly ApprovalView[],
): ApprovalView | null {
  const requestId = requestOf(message);
  const [approval, another] = approvals.filter(
    (one) =>
      one.toolCallId === storableText(callId) && (requestId === undefined || one.requestId === requestId),
  );
  return approval && !another ? approval : null;
}

/** Front ends find a call by its id, so a call whose id an earlier call has used gets another one. */
function withOwnIds(steps: readonly ChatStep[]): ChatStep[] {
  const seen = new Map<string, number>();
  return steps.map((step) => ({
    ...step,
    calls: step.calls.map((call) => {
      const before = seen.get(call.toolCallId) ?? 0;
      seen.set(call.toolCallId, before + 1);
      if (before === 0) return call;
      return { ...call, toolCallId: call.approval?.id ?? `${call.toolCallId}.${before}` };
    }),
  }));
}

function stepsOf(
  messages: readonly ThreadMessage[],
  approvals: readonly ApprovalView[],
  asks: (approval: ApprovalView) => boolean,
): ChatStep[] {
  const steps: ChatStep[] = [];
  const calls = new Map<string, ChatCall>();
  let open: ChatStep | undefined;
  const step = () => {
    if (!open) {
      open = { texts: [], calls: [] };
      steps.push(open);
    }
    return open;
  };
  for (const message of messages) {
    if (message.role === "tool") {
      const call = calls.get(keyOf(requestOf(message), message.toolCallId));
      if (call && !call.result) call.result = resultOf(message.content);
      open = undefined;
    } else if (message.role === "assistant" && "toolCalls" in message) {
      for (const { id, name, input } of message.toolCalls) {
        const approval = approvalOf(message, id, approvals);
        const call = {
          toolCallId: id,
          toolName: name,
          input,
          approval,
          asks: approval !== null && asks(approval),
          result: approval && endOf(approval),
        };
        calls.set(keyOf(requestOf(message), id), call);
        step().calls.push(call);
      }
    } else if (message.role === "assistant") {
      // A text after calls belongs to the next response.
      if (open && open.calls.length > 0) open = undefined;
      step().texts.push(message.content);
    }
  }
  return steps;
}

/** AgentKit's tool results hold `data`, or `error`. */
function resultOf(content: unknown): ChatCall["result"] {
  if (typeof content !== "object" || content === null) return { output: content };
  if ("error" in content && content.error !== undefined) return { error: messageOf(content.error) };
  return { output: "data" in content ? content.data : content };
}

/** The result of a gated call that ended before the thread contains its result. */
function endOf({ status, outcome, response, decision, withdrawalCause }: ApprovalView): ChatCall["result"] {
  switch (status) {
    case "executed":
      return {
        output: typeof outcome === "object" && outcome !== null && "data" in outcome ? outcome.data : null,
      };
    case "failed":
      return {
        error: messageOf(
          typeof outcome === "object" && outcome !== null && "error" in outcome ? outcome.error : null,
        ),
      };
    case "responded":
      return { output: response };
    case "denied":
      return { error: decision?.reason ? `Denied: ${decision.reason}` : "Denied" };
    case "expired":
      return { error: "Nobody decided in time" };
    case "withdrawn":
      return {
        error: `Withdrawn: ${withdrawalText[withdrawalCause ?? "orchestration_failed"]}`,
      };
    case "interrupted":
      return { error: "The process stopped while the call ran. It may or may not have had its effect" };
    default:
      return null;
  }
}

function messageOf(error: unknown): string {
  if (typeof error === "string") return error;
  if (typeof error === "object" && error !== null && "message" in error) return String(error.message);
  return "The tool failed";
}
