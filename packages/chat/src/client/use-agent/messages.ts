import { withdrawalText } from "@countersign/policy/internal/display/withdrawal-text";
import type { ApprovalView } from "countersign/client";

/** The part of a gated call in a message of `useAgents`, with the approval. */
export interface ApprovalPart {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  state: "input-available" | "awaiting-approval" | "executing" | "output-available";
  input: unknown;
  output?: unknown;
  /** The approval: its approvers, its arguments, its digest, and what is hidden. */
  approval: ApprovalView;
}

/** The fields of a message of `useAgents` that are used here. */
export interface MessageLike {
  id: string;
  role: string;
  parts: readonly unknown[];
  timestamp: Date;
}

/**
 * The hook's messages with the thread's gated calls. A call is shown in its own part if the stream has shown it,
 * otherwise in a message of its own, in time order. Calls that this person can approve here are in `awaiting-approval`.
 * If another call or part has the same id, the call also gets a message of its own: nobody must approve a call beside
 * the arguments of another one.
 */
export function withApprovals<Message extends MessageLike>(
  messages: readonly Message[],
  approvals: readonly ApprovalView[],
): Message[] {
  const spoken = messages.flatMap(({ role, parts }) => (role === "assistant" ? parts : []));
  const shownOnce = onlyOnce(spoken.map(callIdOf));
  const calledOnce = onlyOnce(approvals.map(({ toolCallId }) => toolCallId));
  const left = new Set(approvals);
  const byCall = new Map(
    approvals.flatMap((approval) => {
      const id = approval.toolCallId;
      return shownOnce.has(id) && calledOnce.has(id) ? [[id, approval] as const] : [];
    }),
  );
  const shown = messages.map((message) => {
    if (message.role !== "assistant" || !message.parts.some((part) => approvalOf(part, byCall)))
      return message;
    const parts = message.parts.map((part) => {
      const approval = approvalOf(part, byCall);
      if (!approval) return part;
      left.delete(approval);
      return { ...(part as object), ...stateOf(approval, part), approval };
    });
    return { ...message, parts };
  });
  return [...requestsOf([...left])].reduce(
    (all, [requestId, calls]) => inserted(all, messageOf<Message>(requestId, calls)),
    shown,
  );
}

/** Whether the person can approve the call here: they may decide it, and nothing of it is hidden from them. */
export function isApprovableHere(approval: ApprovalView): boolean {
  return (
    approval.status === "pending" &&
    approval.yourDecisions.includes("approve") &&
    approval.redacted.length === 0 &&
    approval.redactedPatterns.length === 0 &&
    !approval.stop
  );
}

function approvalOf(part: unknown, approvals: ReadonlyMap<string, ApprovalView>): ApprovalView | undefined {
  const id = callIdOf(part);
  return id === undefined ? undefined : approvals.get(id);
}

function callIdOf(part: unknown): string | undefined {
  if (typeof part !== "object" || part === null || !("toolCallId" in part)) return undefined;
  return String(part.toolCallId);
}

function onlyOnce(ids: readonly (string | undefined)[]): ReadonlySet<string | undefined> {
  const seen = new Set<string | undefined>();
  const repeated = ids.filter((id) => seen.size === seen.add(id).size);
  return new Set(ids.filter((id) => !repeated.includes(id)));
}

/** The calls of one request as one message, as the model made them. */
function requestsOf(approvals: readonly ApprovalView[]): Map<string, ApprovalView[]> {
  const requests = new Map<string, ApprovalView[]>();
  for (const approval of approvals)
    requests.set(approval.requestId, [...(requests.get(approval.requestId) ?? []), approval]);
  return requests;
}

function messageOf<Message extends MessageLike>(requestId: string, calls: readonly ApprovalView[]): Message {
  const message = {
    id: `countersign:${requestId}`,
    role: "assistant",
    parts: calls.map(partOf),
    timestamp: new Date(calls[0]?.createdAt ?? 0),
    status: "sent",
  };
  return message as unknown as Message;
}

function inserted<Message extends MessageLike>(messages: readonly Message[], message: Message): Message[] {
  const later = messages.findIndex(({ timestamp }) => timestamp > message.timestamp);
  return later < 0 ? [...messages, message] : messages.toSpliced(later, 0, message);
}

function partOf(approval: ApprovalView): ApprovalPart {
  const { toolCallId, toolName, input, editedInput } = approval;
  return {
    type: "tool-call",
    toolCallId,
    toolName,
    input: editedInput ?? input,
    approval,
    ...stateOf(approval, undefined),
  };
}

/** The state of the part, from the approval. If the call runs, the stream's own state is newer and is kept. */
function stateOf(approval: ApprovalView, part: unknown): Pick<ApprovalPart, "state" | "output"> {
  if (isApprovableHere(approval)) return { state: "awaiting-approval" };
  const streamed = part as Pick<ApprovalPart, "state" | "output"> | undefined;
  if (streamed?.state === "output-available") return { state: streamed.state, output: streamed.output };
  const output = outputOf(approval);
  if (output !== undefined) return { state: "output-available", output };
  return { state: ["approved", "executing"].includes(approval.status) ? "executing" : "input-available" };
}

/** The result in the form in which AgentKit streams it. */
function outputOf({ status, outcome, response, decision, withdrawalCause }: ApprovalView): unknown {
  switch (status) {
    case "executed":
    case "failed":
      return outcome ?? {};
    case "responded":
      return { data: response };
    case "denied":
      return { error: { message: decision?.reason ? `Denied: ${decision.reason}` : "Denied" } };
    case "expired":
      return { error: { message: "Nobody decided in time" } };
    case "withdrawn":
      return {
        error: { message: `Withdrawn: ${withdrawalText[withdrawalCause ?? "orchestration_failed"]}` },
      };
    case "interrupted":
      return { error: { message: "The process stopped while the call ran. It may or may not have run" } };
    default:
      return undefined;
  }
}
