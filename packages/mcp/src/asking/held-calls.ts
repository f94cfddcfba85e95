import type { Lease, PushedAnswer } from "./connection.js";
import type { ServerAnswer } from "./exchange.js";
import { answerOf, answerOfError, paramsOf, type ToolRequest } from "./server-answer.js";
import type { CheckedServer } from "./server-options.js";

/** An open call of a 2025 server that waits for an answer over its connection. */
interface HeldCall {
  /** Answers the question of a round, and returns what follows. A round that is answered again returns the same. */
  answer(round: number, answer: PushedAnswer): Promise<ServerAnswer>;
  /** Cancels the open question and all later ones, because no run will answer them. */
  abandon(): void;
  /** Resolves when the current question needs no answer any more. */
  over: Promise<void>;
}

/** The held calls of this process, by call id. Other processes do not have them, and a restart loses them. */
const held = new Map<string, HeldCall>();

/** Maximum number of questions that a server may have open over one connection. */
const maxQueued = 20;
const cancel: PushedAnswer = { action: "cancel" };

/** The key of a pushed question. Such a call asks one question at a time. */
export const pushedKey = "question";

/** Starts the call. Returns its first question or its end. */
export function holdCall(server: CheckedServer, lease: Lease, request: ToolRequest): Promise<ServerAnswer> {
  const questions: { answer: ServerAnswer; resolve(answer: PushedAnswer): void; over: Promise<void> }[] = [];
  let present: (typeof questions)[number] | undefined;
  let arrived = () => {};
  let abandoned = false;

  lease.onPushedQuestion(async (params, signal) => {
    if (abandoned || questions.length >= maxQueued) return cancel;
    const gone = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    return new Promise<PushedAnswer>((resolve) => {
      const over = Promise.race([gone, ended.then(() => undefined)]);
      void over.then(() => resolve(cancel));
      questions.push({
        answer: {
          kind: "asks",
          requests: { [pushedKey]: { method: "elicitation/create", params } },
          requestState: undefined,
          resumes: "connection",
        },
        resolve,
        over,
      });
      arrived();
    });
  });
  const ended = lease.client
    .callTool(paramsOf(request), { timeout: server.requestMs + server.holdMs })
    .then(
      async (result): Promise<ServerAnswer> => {
        await lease.release();
        return answerOf(server, result);
      },
      async (error: unknown): Promise<ServerAnswer> => {
        await lease.release({ broken: true });
        return answerOfError(server, error);
      },
    )
    .finally(() => {
      // Usually the run has read the end of the call by then, and has forgotten the call.
      setTimeout(forget, server.holdMs).unref();
    });

  // The same call may have been started again meanwhile. Do not forget that one.
  const forget = () => {
    if (held.get(request.callId) === call) held.delete(request.callId);
  };
  /** The next question, or the end of the call. */
  const next = async (): Promise<ServerAnswer> => {
    const question = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    if (questions.length === 0) await Promise.race([question, ended]);
    present = questions.shift();
    if (!present) return ended;
    call.over = present.over;
    return present.answer;
  };
  const followed = new Map<number, Promise<ServerAnswer>>();
  const call: HeldCall = {
    answer(round, answer) {
      const before = followed.get(round);
      if (before) return before;
      present?.resolve(answer);
      const after = next();
      followed.set(round, after);
      return after;
    },
    abandon() {
      abandoned = true;
      present?.resolve(cancel);
      for (const { resolve } of questions.splice(0)) resolve(cancel);
      forget();
    },
    over: ended.then(() => undefined),
  };
  held.set(request.callId, call);
  return next();
}

/**
 * Answers the question of a call in this round, and returns what follows. Idempotent: the step that answers may be repeated, and the
 * server may have asked something else meanwhile. `undefined` if this process does not hold the call.
 */
export async function answerHeld(
  callId: string,
  round: number,
  answer: PushedAnswer,
): Promise<ServerAnswer | undefined> {
  return held.get(callId)?.answer(round, answer);
}

/** Cancels the questions of a call whose run no longer needs it. */
export function abandonHeld(callId: string): void {
  held.get(callId)?.abandon();
}

/** Runs `then` when the open question of a held call needs no answer any more: it was cancelled, or its call ended. */
export function whenOver(callId: string, then: () => Promise<unknown>): void {
  void held.get(callId)?.over.then(then, then);
}
