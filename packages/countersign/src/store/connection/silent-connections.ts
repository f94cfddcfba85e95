import type { PoolWatch, TransactionWatch } from "./lost-connections.js";

/** Milliseconds within which a living server answers. */
export interface AnswerLimits {
  /** To `begin`, which waits for nothing. */
  beginMs: number;
  /** To a statement of a transaction that limits them. */
  statementMs: number;
}

/**
 * Finds out that a server no longer answers although its connections stay open: a machine that vanished, a network that
 * loses everything, a proxy that forwards nothing. Neither the driver nor TCP reports this for many minutes. A pool that
 * is only busy is never taken for a silent one: a transaction that waits for a connection proves nothing, but one that
 * was given an open connection and does not begin does, and so does a statement that the server should have ended.
 *
 * @param shared Others use the pool, too, so nothing is known about when a transaction gets a connection.
 */
export function watchPool(
  { beginMs, statementMs }: AnswerLimits,
  shared: boolean,
  onSilence: (error: Error) => void,
): PoolWatch {
  const waiting = new Set<{ timer?: NodeJS.Timeout }>();
  let begun = 0;
  // The driver has opened at least as many connections, and prefers these to opening another.
  let opened = 0;
  const watchConnected = () => {
    let free = opened - begun;
    for (const one of waiting) {
      if (free-- <= 0) return;
      one.timer ??= setTimeout(() => {
        afterReading(() => {
          if (waiting.has(one)) onSilence(silence(beginMs));
        });
      }, beginMs).unref();
    }
  };
  return {
    enter(limited): TransactionWatch {
      const one: { timer?: NodeJS.Timeout } = {};
      let state: "waiting" | "begun" | "over" = "waiting";
      let unanswered = 0;
      let answers = 0;
      let statementTimer: NodeJS.Timeout | undefined;
      let fail: (error: Error) => void = () => {};
      const stopWaiting = () => {
        waiting.delete(one);
        clearTimeout(one.timer);
      };
      if (!shared) {
        waiting.add(one);
        watchConnected();
      }
      return {
        begun(onOwnSilence) {
          if (state !== "waiting") return;
          state = "begun";
          fail = onOwnSilence;
          begun += 1;
          opened = Math.max(opened, begun);
          stopWaiting();
        },
        sent() {
          unanswered += 1;
          if (!limited) return;
          statementTimer ??= setTimeout(() => {
            const before = answers;
            afterReading(() => {
              if (unanswered === 0 || answers > before || state !== "begun") return;
              const error = silence(statementMs);
              onSilence(error);
              fail(error);
            });
          }, statementMs).unref();
        },
        answered() {
          unanswered -= 1;
          answers += 1;
          if (unanswered > 0) statementTimer?.refresh();
          else {
            clearTimeout(statementTimer);
            statementTimer = undefined;
          }
        },
        ended() {
          stopWaiting();
          clearTimeout(statementTimer);
          if (state === "begun") begun -= 1;
          state = "over";
          watchConnected();
        },
      };
    },
  };
}

/** After a pause of the whole process, timers are due before the answers are read that arrived in the meantime. */
const afterReading = setImmediate;

function silence(ms: number): Error {
  return Object.assign(new Error(`The database has not answered for ${ms} ms on an open connection`), {
    code: "CONNECTION_SILENT",
  });
}
