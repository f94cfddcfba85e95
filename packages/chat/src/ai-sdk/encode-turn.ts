import { type CardOptions, cardOf, descriptorOf, isCardOnly, isQuestion } from "../turn/chat-approval.js";
import type { ChatCall, ChatTurn } from "../turn/chat-turn.js";
import { textNames } from "../turn/text-names.js";
import type { Shown } from "./chat-request.js";
import type { Chunk } from "./chunks.js";

export interface EncoderOptions extends Pick<CardOptions, "urlOf">, Partial<Pick<CardOptions, "refusals">> {
  /** The part of this turn that the client already shows. */
  shown?: Shown | undefined;
}

/**
 * Turns states of a turn into chunks, with only what the client does not show yet.
 *
 * The client sends a message by itself once each call in its last step has a result or an answer. So the calls that ask
 * the reader come last, in a separate step, and a turn that is over ends with a step without calls.
 */
export interface TurnEncoder {
  encode(turn: ChatTurn): Chunk[];
  /** Ends the current step. */
  close(): Chunk[];
  /** The same at the end of a turn. */
  closeTurn(): Chunk[];
  /** Whether the stream should end so that the client can answer: a client does not send while it receives. */
  waitsForReader(turn: ChatTurn): boolean;
}

/** The step of the calls that ask the reader, used in place of a step's number. */
const asking = -1;
/** The last step of a turn, which has no calls. */
const last = -2;

export function createTurnEncoder({ shown, refusals = new Map(), urlOf }: EncoderOptions): TurnEncoder {
  const texts = new Set(shown?.texts.map(textNames()));
  const calls = new Map(shown?.calls);
  const lastStep = new Set(shown?.lastStep);
  const cards = new Map<string, string>();
  const again = new Set(refusals.keys());
  /** Calls whose edited arguments were sent. */
  const edited = new Set<string>();
  let openStep: number | undefined;

  const close = (): Chunk[] => {
    const closing: Chunk[] = openStep === undefined ? [] : [{ type: "finish-step" }];
    openStep = undefined;
    return closing;
  };

  const open = (index: number): Chunk[] => {
    if (openStep === index) return [];
    const closing = close();
    openStep = index;
    lastStep.clear();
    return [...closing, { type: "start-step" }];
  };

  const card = (call: ChatCall): Chunk[] => {
    const data = cardOf(call, { urlOf, refusals });
    const json = JSON.stringify(data);
    if (!data || cards.get(data.approvalId) === json) return [];
    cards.set(data.approvalId, json);
    return [{ type: "data-countersign", id: data.approvalId, data }];
  };

  const inputOf = ({ approval, toolCallId, toolName, input }: ChatCall): Chunk => {
    calls.set(toolCallId, "input-available");
    lastStep.add(toolCallId);
    if (isEdited(approval)) edited.add(toolCallId);
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

  const requestOf = (call: ChatCall): Chunk[] => {
    const { approval, toolCallId } = call;
    if (!approval || isQuestion(call)) return [];
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

  /** The calls that the reader has not answered. If an answer was not recorded, the call is asked again. */
  const unanswered = ({ steps }: ChatTurn): ChatCall[] =>
    steps.flatMap((step) => step.calls.filter((call) => call.asks && !hasAnswered(call)));

  const asks = (turn: ChatTurn): Chunk[] => {
    const waiting = unanswered(turn);
    if (waiting.length === 0) return [];
    const isThere = waiting.some(({ toolCallId }) => lastStep.has(toolCallId));
    const chunks: Chunk[] = isThere ? [] : open(asking);
    for (const call of waiting) {
      const isNew = !lastStep.has(call.toolCallId);
      const isAgain = again.delete(call.approval?.id ?? "");
      if (isNew || (isAgain && isQuestion(call))) chunks.push(inputOf(call));
      if (isNew || isAgain) chunks.push(...requestOf(call));
      chunks.push(...card(call));
    }
    return chunks;
  };

  const endOf = (call: ChatCall): Chunk[] => {
    const { approval, toolCallId, result } = call;
    const state = calls.get(toolCallId);
    if (!result || state === undefined) return [];
    // The client shows an answer that did not count.
    const isWrong = approval !== null && again.delete(approval.id);
    if (state.startsWith("output-") && !isWrong) return [];
    // The client replaces a part's arguments only in its last step.
    const isOutdated = (isEdited(approval) && !edited.has(toolCallId)) || (isWrong && isQuestion(call));
    const input = isOutdated && lastStep.has(toolCallId) ? [inputOf(call)] : [];
    // A request takes the person's verdict out of the part.
    if (isWrong) input.push(...requestOf(call));
    calls.set(toolCallId, "output-available");
    if (approval?.status === "denied" && approval.decision?.decidedBy) {
      return [...input, { type: "tool-output-denied", toolCallId }];
    }
    return "error" in result
      ? [...input, { type: "tool-output-error", toolCallId, errorText: result.error }]
      : [...input, { type: "tool-output-available", toolCallId, output: result.output ?? null }];
  };

  return {
    encode(turn) {
      const chunks: Chunk[] = [];
      const nameOf = textNames();
      for (const call of turn.steps.flatMap((step) => step.calls)) chunks.push(...endOf(call));
      turn.steps.forEach((step, index) => {
        const newTexts: Chunk[] = [];
        for (const text of step.texts) {
          const name = nameOf(text);
          if (texts.has(name)) continue;
          texts.add(name);
          newTexts.push(...textChunks(`${turn.id}:${name}`, text));
        }
        const fresh = step.calls.filter(
          (call) => !calls.has(call.toolCallId) && !call.asks && !isCardOnly(call),
        );
        if (newTexts.length > 0 || fresh.length > 0) {
          chunks.push(...open(index), ...newTexts, ...fresh.map(inputOf));
        }
        for (const call of step.calls) {
          if (!call.asks || hasAnswered(call)) chunks.push(...card(call), ...endOf(call));
        }
      });
      chunks.push(...asks(turn));
      return chunks;
    },
    close,
    closeTurn: () => (openStep !== undefined && lastStep.size === 0 ? close() : [...open(last), ...close()]),
    waitsForReader: (turn) => unanswered(turn).length > 0,
  };

  /** The reader's answer is recorded or on its way, and others must agree. */
  function hasAnswered({ toolCallId, approval }: ChatCall): boolean {
    const state = calls.get(toolCallId);
    if (approval && again.has(approval.id)) return false;
    return state === "approval-responded" || state === "output-available";
  }
}

function isEdited(approval: ChatCall["approval"]): boolean {
  return approval !== null && approval.editedInput !== null;
}

function textChunks(id: string, text: string): Chunk[] {
  return [
    { type: "text-start", id },
    { type: "text-delta", id, delta: text },
    { type: "text-end", id },
  ];
}
