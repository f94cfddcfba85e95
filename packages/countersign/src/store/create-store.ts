import { eq } from "drizzle-orm";
import type { Approval } from "../approval/approval.js";
import { exportLines } from "../audit/export-lines.js";
import { CountersignError } from "../errors.js";
import { appendAudited, audit, auditedTenants, auditTrail, listAudit, readAll } from "./audit.js";
import { type Database, databaseNow, type Session, type Transact, type Transaction } from "./database.js";
import { decide, readApproval, readReplacement } from "./decide.js";
import { claim, finish } from "./execution.js";
import { listApprovals } from "./list.js";
import { endAbandoned, expireRequest, overdueRequests, takeDueWakeUps } from "./relay.js";
import { announce, approvalsOf, peek, propose, settle } from "./request.js";
import { requests } from "./schema.js";
import type { Store, WakeUp } from "./store.js";
import * as thread from "./thread.js";
import { verifyAudit } from "./verify-audit.js";
import {
  failThreadOf,
  openRequestsOfThread,
  requestsOfRun,
  withdrawEnded,
  withdrawRequest,
} from "./withdraw.js";

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
  // What the verbs read after waiting for a lock must be what the lock's holder wrote, whatever the database's default.
  const transact: Transact = (work) =>
    driver.db.transaction(
      async (db) => {
        const tx: Transaction = { db, now: now(), audited: [] };
        const result = await work(tx);
        await appendAudited(tx);
        return result;
      },
      { isolationLevel: "read committed" },
    );
  const verbs = withSafeErrors({
    migrate: () => driver.migrate(),
    close: () => driver.close(),
    propose: (proposal) => transact((tx) => propose(tx, proposal)),
    recordNote: (entry) => transact(async (tx) => audit(tx, { ...entry, approvalId: null })),
    readReplacement: (approvalId) => readReplacement(session(), approvalId),
    approvalsOf: (requestId) => approvalsOf(session(), requestId),
    readRequest: async (requestId) => {
      const [request] = await driver.db.select().from(requests).where(eq(requests.id, requestId));
      if (!request) return undefined;
      const calls = await approvalsOf(session(), requestId);
      const waiting = calls.filter((call) => call.status === "proposed" || call.status === "pending");
      return {
        wakeUpToken: request.wakeUpToken,
        runId: request.runId,
        timeoutMs: Math.min(...waiting.map(firstDeadline), 366 * 86_400_000),
      };
    },
    announce: (requestId) => transact((tx) => announce(tx, requestId)),
    peek: (requestId) => transact((tx) => peek(tx, requestId)),
    settle: (requestId) => transact((tx) => settle(tx, requestId)),
    decide: (input) => transact((tx) => decide(tx, input)),
    claim: (approvalId, handlerKind, check) => transact((tx) => claim(tx, approvalId, handlerKind, check)),
    finish: (approvalId, end) => transact((tx) => finish(tx, approvalId, end)),
    withdrawRun: async (runId, cause) => {
      const wakeUps: WakeUp[] = [];
      // One transaction a request: whoever takes several locks in one would sooner or later wait in a circle.
      for (const requestId of await requestsOfRun(session(), runId)) {
        const wakeUp = await transact((tx) => withdrawEnded(tx, requestId, cause));
        if (wakeUp) wakeUps.push(wakeUp);
      }
      await failThreadOf(session(), runId);
      return wakeUps;
    },
    withdrawThread: async (tenantId, threadId, keepRunId) => {
      const wakeUps: WakeUp[] = [];
      for (const requestId of await openRequestsOfThread(session(), tenantId, threadId, keepRunId)) {
        const wakeUp = await transact((tx) => withdrawEnded(tx, requestId, "superseded"));
        if (wakeUp) wakeUps.push(wakeUp);
      }
      return wakeUps;
    },
    withdrawRequest: (requestId, cause) => transact((tx) => withdrawRequest(tx, requestId, cause)),
    takeDueWakeUps: (limit) => transact((tx) => takeDueWakeUps(tx, limit)),
    sweep: async () => {
      let expired = 0;
      for (const requestId of await overdueRequests(session())) {
        expired += await transact((tx) => expireRequest(tx, requestId));
      }
      const abandoned = await transact(endAbandoned);
      return { expired: expired + abandoned.expired, interrupted: abandoned.interrupted };
    },
    getApproval: (tenantId, approvalId) => readApproval(session(), tenantId, approvalId),
    listApprovals: (filter) => listApprovals(session(), filter),
    auditTrail: (tenantId, approvalId) => auditTrail(session(), tenantId, approvalId),
    listAudit: (filter) => listAudit(session(), filter),
    auditedTenants: () => auditedTenants(session()),
    verifyAudit: (tenantId, anchor) => verifyAudit(session(), tenantId, anchor),
    openThread: (input) => transact((tx) => thread.openThread(tx, input)),
    endThread: (tenantId, threadId, runId) => thread.endThread(session(), tenantId, threadId, runId),
    getThread: (tenantId, threadId) => thread.getThread(session(), tenantId, threadId),
    listThreads: (filter) => thread.listThreads(session(), filter),
    appendEntries: (tenantId, threadId, entries) =>
      transact((tx) => thread.appendEntries(tx, tenantId, threadId, entries)),
    readEntries: (tenantId, threadId, beforeKey) =>
      thread.readEntries(session(), tenantId, threadId, beforeKey),
  });
  return {
    ...verbs,
    exportAudit: (tenantId, { format }) =>
      exportLines(
        readAll((after) => verbs.listAudit({ tenantId, after })),
        format,
      ),
  };
}

/** Every verb that answers with a promise. */
type Verbs = Omit<Store, "exportAudit">;

/** When something is to be done about a call that nobody has decided: its first rung, or its end. */
function firstDeadline({ timeoutMs, terms }: Approval): number {
  return Math.min(timeoutMs, ...terms.ladder.map(({ afterMs }) => afterMs));
}

/**
 * The same store whose failures say what was tried and the database's error code, and nothing else: the messages
 * of drivers quote statements and parameters, and parameters are people's data.
 */
function withSafeErrors(store: Verbs): Verbs {
  return new Proxy(store, {
    get(target, name: keyof Verbs & string) {
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
            `The database did not carry out "${name}"${sqlState ? ` (SQLSTATE ${sqlState})` : ""}. Check that the database is reachable and migrated, then try again, which is safe.`,
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
