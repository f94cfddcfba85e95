import { eq } from "drizzle-orm";
import { CountersignError } from "../errors.js";
import { audit, auditTrail } from "./audit.js";
import { type Database, databaseNow, type Session, type Transact } from "./database.js";
import { decide, readApproval } from "./decide.js";
import { claim, finish } from "./execution.js";
import { listApprovals } from "./list.js";
import { sweep, takeDueWakeUps } from "./relay.js";
import { announce, approvalsOf, propose, settle } from "./request.js";
import { requests } from "./schema.js";
import type { Store } from "./store.js";
import * as thread from "./thread.js";
import { withdrawRequest, withdrawRun } from "./withdraw.js";

/** What a driver supplies; everything else is the same for all. */
export interface StoreDriver {
  db: Database;
  migrate(): Promise<void>;
  close(): Promise<void>;
  /** Milliseconds by which tests move the database's time; 0 in production. */
  clockOffset?: (() => number) | undefined;
}

/** The store on any Drizzle database for Postgres. */
export function createStore(driver: StoreDriver): Store {
  const now = () => databaseNow(driver.clockOffset?.() ?? 0);
  const session = (): Session => ({ db: driver.db, now: now() });
  const transact: Transact = (work) => driver.db.transaction((tx) => work({ db: tx, now: now() }));
  return withSafeErrors({
    migrate: () => driver.migrate(),
    close: () => driver.close(),
    propose: (proposal) => transact((tx) => propose(tx, proposal)),
    recordRefusal: ({ tenantId, toolName, code, runId }) =>
      audit(session(), { tenantId, approvalId: null, type: "call.refused", data: { toolName, code, runId } }),
    readRequest: async (requestId) => {
      const [request] = await driver.db.select().from(requests).where(eq(requests.id, requestId));
      if (!request) return undefined;
      const calls = await approvalsOf(session(), requestId);
      const waiting = calls.filter((call) => call.status === "proposed" || call.status === "pending");
      return {
        wakeUpToken: request.wakeUpToken,
        runId: request.runId,
        timeoutMs: Math.min(...waiting.map((call) => call.timeoutMs), 366 * 86_400_000),
      };
    },
    announce: (requestId) => transact((tx) => announce(tx, requestId)),
    settle: (requestId) => transact((tx) => settle(tx, requestId)),
    decide: (input) => transact((tx) => decide(tx, input)),
    claim: (approvalId, check) => transact((tx) => claim(tx, approvalId, check)),
    finish: (approvalId, end) => transact((tx) => finish(tx, approvalId, end)),
    withdrawRun: (runId, cause) => transact((tx) => withdrawRun(tx, runId, cause)),
    withdrawRequest: (requestId, cause) => transact((tx) => withdrawRequest(tx, requestId, cause)),
    takeDueWakeUps: (limit) => transact((tx) => takeDueWakeUps(tx, limit)),
    sweep: () => transact((tx) => sweep(tx)),
    getApproval: (tenantId, approvalId) => readApproval(session(), tenantId, approvalId),
    listApprovals: (filter) => listApprovals(session(), filter),
    auditTrail: (tenantId, approvalId) => auditTrail(session(), tenantId, approvalId),
    openThread: (input) => transact((tx) => thread.openThread(tx, input)),
    endThread: (tenantId, threadId, runId) => thread.endThread(session(), tenantId, threadId, runId),
    getThread: (tenantId, threadId) => thread.getThread(session(), tenantId, threadId),
    listThreads: (filter) => thread.listThreads(session(), filter),
    appendEntries: (tenantId, threadId, entries) =>
      transact((tx) => thread.appendEntries(tx, tenantId, threadId, entries)),
    readEntries: (tenantId, threadId, beforeKey) =>
      thread.readEntries(session(), tenantId, threadId, beforeKey),
  });
}

/**
 * The same store whose failures say what was tried and the database's error code, and nothing else: the messages
 * of drivers quote statements and parameters, and parameters are people's data.
 */
function withSafeErrors(store: Store): Store {
  return new Proxy(store, {
    get(target, name: keyof Store & string) {
      const verb: unknown = Reflect.get(target, name);
      if (typeof verb !== "function") return verb;
      return async (...args: unknown[]) => {
        try {
          return await verb.apply(target, args);
        } catch (error) {
          if (CountersignError.isInstance(error)) throw error;
          const sqlState = sqlStateOf(error);
          throw new CountersignError(
            "database_failed",
            `The database did not carry out "${name}"${sqlState ? ` (SQLSTATE ${sqlState})` : ""}. Nothing was changed by it; check that the database is reachable and migrated, then try again.`,
            { detail: { verb: name, sqlState } },
          );
        }
      };
    },
  });
}

function sqlStateOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    if ("code" in at && typeof at.code === "string") return at.code;
  }
  return undefined;
}
