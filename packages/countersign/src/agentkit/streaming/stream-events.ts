import { redact } from "@countersign/policy/internal/redaction/redact";
import type { StreamedResolution, WaitingCall } from "../../call/stream.js";

/** One event of AgentKit's stream, its `AgentMessageChunk`. */
export interface StreamChunk {
  /** Such as `run.started` or `part.created`. */
  event: string;
  data: Record<string, unknown>;
  /** When it occurred, in milliseconds since 1970. */
  timestamp: number;
  /** Its place among the run's events. */
  sequenceNumber: number;
  id: string;
}

/** Publishes one chunk of AgentKit's stream to the person who asked. */
export type Publish = (chunk: StreamChunk) => unknown;

/** The message and run of AgentKit's stream to which calls belong. */
export interface StreamPlace {
  messageId: string;
  runId: string;
  threadId?: unknown;
  userId?: unknown;
}

/** The client applies events with this number at once, whatever it has received before. */
const outOfOrder = -1;

/** Replays make the same ids, so the client applies each event once. */
function chunk(id: string, event: string, place: StreamPlace, data: Record<string, unknown>): StreamChunk {
  const { messageId, runId, threadId, userId } = place;
  return {
    event,
    data: {
      ...data,
      messageId,
      runId,
      ...(threadId !== undefined && { threadId }),
      ...(userId !== undefined && { userId }),
    },
    timestamp: Date.now(),
    sequenceNumber: outOfOrder,
    id: `countersign:${id}:${event}`,
  };
}

/** The part of a call. `key` names the call within the stream. */
export function callChunks(
  key: string,
  place: StreamPlace,
  { id, toolName, input }: { id: string; toolName: string; input: unknown },
): StreamChunk[] {
  const part = { partId: id, type: "tool-call", metadata: { toolName } };
  return [
    chunk(key, "part.created", place, part),
    chunk(key, "part.completed", place, { ...part, toolName, finalContent: input }),
  ];
}

/** The result of a call that AgentKit does not run. */
export function answerChunk(
  key: string,
  place: StreamPlace,
  { id, toolName, content }: { id: string; toolName: string; content: unknown },
): StreamChunk {
  return chunk(`${key}:answer`, "part.completed", place, {
    partId: id,
    type: "tool-output",
    toolName,
    metadata: { toolName },
    finalContent: content,
  });
}

/** Shows a call as running whose result AgentKit does not stream: one of an agent inside a tool. */
export function runningChunk(key: string, place: StreamPlace, id: string): StreamChunk {
  return chunk(key, "tool_call.output.delta", place, { partId: id, delta: "" });
}

const riskLevels: Record<string, string> = { low: "low", medium: "medium", high: "high", critical: "high" };

export function requestedChunk(
  requestId: string,
  place: StreamPlace,
  calls: readonly WaitingCall[],
): StreamChunk {
  const reasons = [...new Set(calls.flatMap(({ card }) => card.reason ?? []))];
  const risks = calls.map(({ card }) => riskLevels[card.risk] ?? "medium");
  return chunk(requestId, "hitl.requested", place, {
    requestId,
    toolCalls: calls.map(({ toolCallId, toolName, input, card, approvalId, digest }) => ({
      partId: toolCallId,
      toolName,
      toolInput: redact(input, card),
      approvalId,
      digest,
    })),
    expiresAt: calls.map(({ card }) => card.expiresAt).sort()[0],
    metadata: {
      ...(reasons.length > 0 && { reason: reasons.join(" ") }),
      riskLevel: ["high", "medium", "low"].find((level) => risks.includes(level)),
    },
  });
}

export function resolvedChunk(
  place: StreamPlace,
  { requestId, approved, total, decided }: StreamedResolution,
): StreamChunk {
  const resolution = approved.length === total ? "approved" : approved.length === 0 ? "denied" : "partial";
  return chunk(requestId, "hitl.resolved", place, {
    requestId,
    resolution,
    ...(resolution === "partial" && { approvedTools: approved }),
    ...(decided?.reason && { reason: decided.reason }),
    // The hook's type requires both; they are empty if nobody decided.
    resolvedBy: decided?.by ?? "",
    resolvedAt: decided?.at ?? "",
  });
}
