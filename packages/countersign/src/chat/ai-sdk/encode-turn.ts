import type { ApprovalView } from "../../api/contract/approval-schemas.js";
import { asksReader, cardOf, descriptorOf, isCardOnly, isQuestion } from "../chat-approval.js";
import type { ChatCall, ChatTurn } from "../chat-turn.js";
import { textNames } from "../text-names.js";
import type { Shown } from "./chat-request.js";
import type { Chunk } from "./chunks.js";

export interface EncoderOptions {
  /** What the client shows of this turn already. */
  shown?: Shown | undefined;
  /** Why decisions of this request were not recorded, by approval. */
  refusals?: ReadonlyMap<string, string>;
  /** The approval in the inbox. */
  urlOf(approvalId: string): string | null;
}

/** Turns states of a turn into chunks: only what the client does not show yet. */
export interface TurnEncoder {
  encode(turn: ChatTurn): Chunk[];
  /** Ends the step that is open. */
  close(): Chunk[];
  /** Whether the stream should end so that the client can answer: a chat does not send while it receives. */
  waitsForReader(turn: ChatTurn): boolean;
}

export function createTurnEncoder({ shown, refusals = new Map(), urlOf }: EncoderOptions): TurnEncoder {
  const texts = new Set(shown?.texts.map(textNames()));
  const calls = new Map(shown?.calls);
  const cards = new Map<string, string>();
  const again = new Set(refusals.keys());
  let openStep: number | undefined;

  const inStep = (index: number, chunks: readonly Chunk[]): Chunk[] => {
    if (openStep === index || chunks.length === 0) return [...chunks];
    const first: Chunk[] = openStep === undefined ? [] : [{ type: "finish-step" }];
    openStep = index;
    return [...first, { type: "start-step" }, ...chunks];
  };

  const card = (approval: ApprovalView, voted: boolean): Chunk[] => {
    const data = cardOf(approval, {
      url: urlOf(approval.id),
      refused: refusals.get(approval.id) ?? null,
      voted,
    });
    const json = JSON.stringify(data);
    if (cards.get(approval.id) === json) return [];
    cards.set(approval.id, json);
    return [{ type: "data-countersign", id: approval.id, data }];
  };

  const inputOf = ({ approval, toolCallId, toolName, input }: ChatCall): Chunk => {
    calls.set(toolCallId, "input-available");
    return {
      type: "tool-input-available",
      toolCallId,
      toolName,
      input,
      ...(approval && {
        title: approval.summary,
        toolMetadata: { countersign: { approvalId: approval.id, digest: approval.digest } },
      }),
    };
  };

  const newChunksOf = (call: ChatCall): Chunk[] =>
    calls.has(call.toolCallId) || isCardOnly(call) ? [] : [inputOf(call), ...requestOf(call)];

  /** Asks again after an answer that was not recorded. */
  const askAgain = (call: ChatCall): Chunk[] => {
    if (!call.approval || !again.delete(call.approval.id) || !asksReader(call)) return [];
    return isQuestion(call) ? [inputOf(call)] : requestOf(call);
  };

  const requestOf = (call: ChatCall): Chunk[] => {
    const { approval, toolCallId } = call;
    if (!approval || !asksReader(call) || isQuestion(call)) return [];
    calls.set(toolCallId, "approval-requested");
    return [
      {
        type: "tool-approval-request",
        approvalId: approval.id,
        toolCallId,
        approvalDescriptor: descriptorOf(approval, urlOf(approval.id)),
        ...(approval.reason && { reason: approval.reason }),
      },
    ];
  };

  const endOf = ({ approval, toolCallId, result }: ChatCall): Chunk[] => {
    const state = calls.get(toolCallId);
    if (!result || state === undefined || state.startsWith("output-")) return [];
    calls.set(toolCallId, "output-available");
    if (approval?.status === "denied" && approval.decision?.decidedBy) {
      return [{ type: "tool-output-denied", toolCallId }];
    }
    return "error" in result
      ? [{ type: "tool-output-error", toolCallId, errorText: result.error }]
      : [{ type: "tool-output-available", toolCallId, output: result.output ?? null }];
  };

  return {
    encode(turn) {
      const chunks: Chunk[] = [];
      const nameOf = textNames();
      turn.steps.forEach((step, index) => {
        const fresh: Chunk[] = [];
        for (const text of step.texts) {
          const name = nameOf(text);
          if (texts.has(name)) continue;
          texts.add(name);
          fresh.push(...textChunks(`${turn.id}:${name}`, text));
        }
        for (const call of step.calls) fresh.push(...newChunksOf(call));
        chunks.push(...inStep(index, fresh));
        for (const call of step.calls) {
          chunks.push(...askAgain(call));
          if (call.approval && call.approval.status !== "proposed")
            chunks.push(...card(call.approval, call.voted));
          chunks.push(...endOf(call));
        }
      });
      return chunks;
    },
    close() {
      const closing: Chunk[] = openStep === undefined ? [] : [{ type: "finish-step" }];
      openStep = undefined;
      return closing;
    },
    waitsForReader: ({ steps }) =>
      steps.some((step) => step.calls.some((call) => asksReader(call) && !hasAnswered(call))),
  };

  /** The reader's answer is recorded or on its way, and others must agree. */
  function hasAnswered({ toolCallId }: ChatCall): boolean {
    return calls.get(toolCallId) === "approval-responded";
  }
}

function textChunks(id: string, text: string): Chunk[] {
  return [
    { type: "text-start", id },
    { type: "text-delta", id, delta: text },
    { type: "text-end", id },
  ];
}
