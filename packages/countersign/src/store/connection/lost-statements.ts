import type postgres from "postgres";
import { type Pools, removeHoles } from "./lost-connections.js";
import type { OnceOptions, OnceStatement } from "./once.js";

/** Milliseconds to wait for the answer to a statement that was already sent when a connection of its pool was lost. */
const answerAfterLossMs = 5_000;

/**
 * Sends single statements outside of transactions, which the server must limit in time. If its pool is lost before a statement
 * was sent, it goes to the next one, and so does one that may be repeated.
 */
export function sendingOnce({ current, unbegun, failed }: Pools) {
  const once = (statement: OnceStatement, options: OnceOptions, mayMove = true): Promise<postgres.Row[]> =>
    new Promise((resolve, reject) => {
      options.expired.throwIfAborted();
      const used = current();
      const watch = used.watch?.enter(true);
      let isSent = false;
      let isOver = false;
      const end = (how: () => void) => {
        if (isOver) return;
        isOver = true;
        unbegun.delete(leave);
        watch?.ended();
        how();
      };
      const leave = (error: unknown) => {
        if (isSent && !options.repeatable) {
          // The loss may be that of another connection, and this one may still answer.
          setTimeout(() => end(() => reject(error)), answerAfterLossMs);
          return;
        }
        if (!isSent) withdraw(query);
        end(() => {
          if (mayMove) resolve(once(statement, options, false));
          else reject(error);
        });
      };
      unbegun.add(leave);
      // It may wait for a lock, so no other statement is sent behind it.
      const alone = { prepare: true, onexecute: () => false };
      const query = used.sql.unsafe(statement.text, [...statement.parameters], alone);
      whenSent(query, () => {
        if (isSent || isOver) return;
        isSent = true;
        options.begin();
        watch?.begun((error) => end(() => reject(error)));
        watch?.sent();
      });
      options.expired.addEventListener("abort", () => {
        if (isSent || isOver) return;
        withdraw(query);
        end(() => reject(options.expired.reason));
      });
      query.then(
        (rows) => {
          watch?.answered();
          removeHoles(rows);
          end(() => resolve(rows));
        },
        async (error: unknown) => {
          if (isSent) watch?.answered();
          unbegun.delete(leave);
          await failed(used, error);
          end(() => reject(error));
        },
      );
    });
  return (statement: OnceStatement, options: OnceOptions) => once(statement, options);
}

/** Calls back when the driver writes the statement to a connection: then it notes which. */
function whenSent(query: object, onSent: () => void): void {
  let state: unknown = null;
  Object.defineProperty(query, "state", {
    get: () => state,
    set(connection: unknown) {
      state = connection;
      onSent();
    },
  });
}

/**
 * Keeps the driver from sending a statement. A connection that it was given to, but that still opens, sends an empty one
 * instead: without an answer, the driver would never use that connection again.
 */
function withdraw(query: { cancel(): void; simple(): object }): void {
  query.cancel();
  Object.assign(query.simple(), { cancelled: null, strings: [""], args: [] });
}
