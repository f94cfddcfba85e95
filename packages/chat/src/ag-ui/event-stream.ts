import type { ApprovalView } from "countersign/client";
import { type CardOptions, cardOf, descriptorOf, isQuestion } from "../turn/chat-approval.js";
import type { ChatCall, ChatTurn } from "../turn/chat-turn.js";
import { type ChatProtocol, runFailed } from "../turn/stream-chat.js";
import { textNames } from "../turn/text-names.js";
import { answerSchema } from "./answer-schema.js";
import { interruptId, type RunAgentInput } from "./run-agent-input.js";

/** AG-UI's events, as far as Countersign sends them. */
type AgUiEvent = { type: string; [field: string]: unknown };

export interface EventStreamOptions extends CardOptions {
  input: Pick<RunAgentInput, "threadId" | "runId">;
  shown: ReadonlySet<string>;
}

const frame = (event: AgUiEvent) => `data: ${JSON.stringify(event)}\n\n`;

/** AG-UI 1.0 as server-sent events. A run ends with an interrupt for each call that waits for this reader. */
export function eventStream({ input, shown, refusals, urlOf }: EventStreamOptions): ChatProtocol {
  const { threadId, runId } = input;
  const sent = new Set(shown);
  const cards = new Map<string, string>();
  const finished = { type: "RUN_FINISHED", threadId, runId, outcome: { type: "success" } };
  let started = false;
  const once = (key: string, events: () => AgUiEvent[]): AgUiEvent[] => {
    if (sent.has(key)) return [];
    sent.add(key);
    return events();
  };

  const start = (): AgUiEvent[] => {
    if (started) return [];
    started = true;
    return [{ type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" }];
  };

  const textEvents = (messageId: string, delta: string) =>
    once(messageId, () => [
      { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
      ...(delta === "" ? [] : [{ type: "TEXT_MESSAGE_CONTENT", messageId, delta }]),
      { type: "TEXT_MESSAGE_END", messageId },
    ]);

  const callEvents = ({ toolCallId, toolName, input: args }: ChatCall) =>
    once(toolCallId, () => [
      { type: "TOOL_CALL_START", toolCallId, toolCallName: toolName },
      { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(args ?? {}) },
      { type: "TOOL_CALL_END", toolCallId },
    ]);

  /** The current state of a gated call, as a custom event. */
  const cardEvents = (call: ChatCall): AgUiEvent[] => {
    const value = cardOf(call, { urlOf, refusals });
    const json = JSON.stringify(value);
    if (!value || cards.get(value.approvalId) === json) return [];
    cards.set(value.approvalId, json);
    return [{ type: "CUSTOM", name: "countersign", value }];
  };

  const resultEvents = ({ toolCallId, result }: ChatCall) =>
    result === null
      ? []
      : once(`${toolCallId}:result`, () => [
          {
            type: "TOOL_CALL_RESULT",
            messageId: `${toolCallId}:result`,
            toolCallId,
            role: "tool",
            content: "error" in result ? result.error : contentOf(result.output),
          },
        ]);

  return {
    write(turn) {
      const events = start();
      const nameOf = textNames();
      for (const { texts, calls } of turn.steps) {
        for (const text of texts) events.push(...textEvents(`${turn.id}:${nameOf(text)}`, text));
        for (const call of calls)
          events.push(...callEvents(call), ...cardEvents(call), ...resultEvents(call));
      }
      const end = endOf(turn);
      return { frames: [...events, ...(end ? [end] : [])].map(frame).join(""), ends: end !== undefined };
    },
    writeEnd: () => frame(finished),
    writeFailure: (message) => [...start(), { type: "RUN_ERROR", message }].map(frame).join(""),
  };

  function endOf({ steps, status }: ChatTurn): AgUiEvent | undefined {
    const interrupts = steps.flatMap(({ calls }) =>
      calls.flatMap((call) => (call.approval && call.asks ? interruptOf(call, call.approval) : [])),
    );
    if (interrupts.length > 0) {
      return { type: "RUN_FINISHED", threadId, runId, outcome: { type: "interrupt", interrupts } };
    }
    if (status === "done") return finished;
    return status === "failed" ? { type: "RUN_ERROR", message: runFailed } : undefined;
  }

  function interruptOf(call: ChatCall, approval: ApprovalView) {
    const { id, digest, summary, expiresAt } = approval;
    return {
      id: interruptId(id, digest),
      reason: isQuestion(call) ? "question" : "tool_approval",
      message: refusals.get(id) ?? summary,
      toolCallId: call.toolCallId,
      responseSchema: answerSchema(approval),
      ...(expiresAt && { expiresAt }),
      metadata: { approvalId: id, ...descriptorOf(approval, urlOf(id)) },
    };
  }
}

function contentOf(output: unknown): string {
  return typeof output === "string" ? output : JSON.stringify(output ?? null);
}
