import { storableText } from "../approval/storable-text.js";
import { exportLines } from "../audit/export-lines.js";
import { CountersignError } from "../errors.js";
import { nameOfThrown } from "../name-of-thrown.js";
import { assign } from "./assign.js";
import { audit, auditedTenants, auditPosition, auditTrail, listAudit, readAll } from "./audit.js";
import { createChangeFeed, type Listen } from "./change-feed.js";
import { createDatabaseClock, readTime } from "./clock.js";
import { consumeConfirmation, recordConfirmation } from "./confirmation.js";
import { countApprovals } from "./count.js";
import type { Database } from "./database.js";
import { decide, readReplacement } from "./decide.js";
import { endOf, forgetEndedRuns, noteEnd } from "./ended-runs.js";
import { readEvidence, recheckEvidence } from "./evidence.js";
import { claim, finish } from "./execution.js";
import { extend } from "./extend.js";
import { getGrant, listGrants, revokeGrant } from "./grants.js";
import { listApprovals } from "./list.js";
import { look } from "./look.js";
import { isMigrated } from "./migrations.js";
import { forgetIdempotencyKeys, getPreferences, noteIdempotencyKey, setPreferences } from "./personal.js";
import { readApproval } from "./read-approval.js";
import { recordRefusal, withRefusal } from "./refused.js";
import { endAbandoned, expireRequest, overdueRequests, takeDueWakeUps } from "./relay.js";
import { announce, approvalsOf, peek, propose, readRequest, readSaid, settle } from "./request.js";
import { resolve } from "./resolve.js";
import { statistics } from "./statistics.js";
import type { Recorded, Store, WakeUp } from "./store.js";
import * as thread from "./thread.js";
import { openTransactions } from "./transact.js";
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
  /** Whether `db` begins its transactions read committed; otherwise each has to say so. */
  beginsReadCommitted: boolean;
  migrate(): Promise<void>;
  close(): Promise<void>;
  listen: Listen;
  /** Milliseconds by which tests move the database's time; 0 in production. */
  clockOffset?: (() => number) | undefined;
  /** Milliseconds that a transaction may wait for a connection, and as long again for a lock. */
  patienceMs?: number | undefined;
}

/** Less than the half minute after which most callers have gone. */
const defaultPatienceMs = 20_000;

/** What is recorded stays so, whatever becomes of those who listen. */
function tell(observe: (recorded: Recorded) => void, recorded: Recorded): void {
  try {
    observe(recorded);
  } catch (error) {
    console.error(`Countersign: an observer of the store threw (${nameOfThrown(error)})`);
  }
}

/** The store on any Drizzle database for Postgres. */
export function createStore(driver: StoreDriver): Store {
  const observers = new Set<(recorded: Recorded) => void>();
  const { inTenant, asSystem } = openTransactions(driver.db, {
    clockOffset: () => driver.clockOffset?.() ?? 0,
    beginsReadCommitted: driver.beginsReadCommitted,
    patienceMs: driver.patienceMs ?? defaultPatienceMs,
    onCommitted: (audited) => {
      for (const { type, data, waitedMs = null } of audited) {
        const code = typeof data?.code === "string" ? data.code : null;
        for (const observe of observers) tell(observe, { type, code, waitedMs });
      }
    },
  });
  const feed = createChangeFeed(driver.listen);
  const now = createDatabaseClock(
    () => asSystem(readTime),
    () => driver.clockOffset?.() ?? 0,
  );
  const verbs = withSafeErrors({
    now,
    migrate: () => driver.migrate(),
    statistics: () => asSystem(statistics),
    isMigrated: () => asSystem(isMigrated),
    close: async () => {
      await feed.close();
      await driver.close();
    },
    subscribe: (tenantId, onChange) => feed.subscribe(tenantId, onChange),
    countApprovals: (filter) => inTenant(filter.tenantId, (tx) => countApprovals(tx, filter)),
    getPreferences: (tenantId, principalId) =>
      inTenant(tenantId, (tx) => getPreferences(tx, tenantId, principalId)),
    setPreferences: (tenantId, principalId, data) =>
      inTenant(tenantId, (tx) => setPreferences(tx, tenantId, principalId, data)),
    noteIdempotencyKey: (request) => inTenant(request.tenantId, (tx) => noteIdempotencyKey(tx, request)),
    auditPosition: (tenantId) => inTenant(tenantId, (tx) => auditPosition(tx, tenantId)),
    propose: (proposal, signer) =>
      inTenant(proposal.tenantId, async (tx) => {
        const proposed = await propose(tx, proposal, signer);
        const end = proposal.runId === null ? undefined : await endOf(tx, proposal.runId);
        if (!end) return proposed;
        await withdrawEnded(tx, proposal.requestId, end);
        return approvalsOf(tx, proposal.requestId);
      }),
    recordNote: (entry) =>
      inTenant(storableText(entry.tenantId), async (tx) => audit(tx, { ...entry, approvalId: null })),
    readReplacement: (approvalId) => asSystem((tx) => readReplacement(tx, approvalId)),
    approvalsOf: (requestId) => asSystem((tx) => approvalsOf(tx, requestId)),
    readRequest: (requestId) => asSystem((tx) => readRequest(tx, requestId)),
    announce: (requestId) => asSystem((tx) => announce(tx, requestId)),
    peek: (requestId, round) => asSystem((tx) => peek(tx, requestId, round)),
    settle: (requestId, round) => asSystem((tx) => settle(tx, requestId, round)),
    decide: (input, signer) =>
      inTenant(input.principal.tenantId, async (tx) =>
        withRefusal(tx, { attempt: "decision", ...input }, await decide(tx, input, signer)),
      ),
    recordRefusal: (refusal) => inTenant(refusal.principal.tenantId, (tx) => recordRefusal(tx, refusal)),
    assign: (input) =>
      inTenant(input.principal.tenantId, async (tx) =>
        withRefusal(tx, { attempt: "assignment", ...input }, await assign(tx, input)),
      ),
    look: (input) => inTenant(input.principal.tenantId, (tx) => look(tx, input)),
    extend: (input) =>
      inTenant(input.principal.tenantId, async (tx) =>
        withRefusal(tx, { attempt: "extension", ...input }, await extend(tx, input)),
      ),
    resolve: (input) =>
      inTenant(input.principal.tenantId, async (tx) =>
        withRefusal(tx, { attempt: "resolution", type: input.outcome, ...input }, await resolve(tx, input)),
      ),
    claim: (approvalId, handlerKind, check, signer) =>
      asSystem((tx) => claim(tx, approvalId, handlerKind, check, signer)),
    startWasProven: async (approval, signer) =>
      (await inTenant(approval.tenantId, (tx) => recheckEvidence(tx, approval, signer))).ok,
    readEvidence: (tenantId, approvalId) =>
      inTenant(tenantId, (tx) => readEvidence(tx, tenantId, approvalId)),
    recordConfirmation: (input, signer) =>
      inTenant(input.principal.tenantId, (tx) => recordConfirmation(tx, input, signer)),
    consumeConfirmation: (input, signer) =>
      inTenant(input.tenantId, (tx) => consumeConfirmation(tx, input, signer)),
    finish: (approvalId, end) => asSystem((tx) => finish(tx, approvalId, end)),
    withdrawRun: async (runId, cause) => {
      const wakeUps: WakeUp[] = [];
      // Before its requests are looked for: whatever it proposes from here on sees that it has ended.
      await asSystem((tx) => noteEnd(tx, runId, cause));
      // One transaction a request: whoever takes several locks in one would sooner or later wait in a circle.
      for (const requestId of await asSystem((tx) => requestsOfRun(tx, runId))) {
        const wakeUp = await asSystem((tx) => withdrawEnded(tx, requestId, cause));
        if (wakeUp) wakeUps.push(wakeUp);
      }
      await asSystem((tx) => failThreadOf(tx, runId));
      return wakeUps;
    },
    withdrawThread: async (tenantId, threadId, keepRunId) => {
      const wakeUps: WakeUp[] = [];
      const open = await inTenant(tenantId, (tx) => openRequestsOfThread(tx, tenantId, threadId, keepRunId));
      for (const requestId of open) {
        const wakeUp = await inTenant(tenantId, (tx) => withdrawEnded(tx, requestId, "superseded"));
        if (wakeUp) wakeUps.push(wakeUp);
      }
      return wakeUps;
    },
    withdrawRequest: (requestId, cause) => asSystem((tx) => withdrawRequest(tx, requestId, cause)),
    takeDueWakeUps: (limit) => asSystem((tx) => takeDueWakeUps(tx, limit)),
    sweep: async () => {
      let expired = 0;
      for (const requestId of await asSystem(overdueRequests)) {
        expired += await asSystem((tx) => expireRequest(tx, requestId));
      }
      await asSystem(forgetIdempotencyKeys);
      await asSystem(forgetEndedRuns);
      const abandoned = await asSystem(endAbandoned);
      return { expired: expired + abandoned.expired, interrupted: abandoned.interrupted };
    },
    getApproval: (tenantId, approvalId) => inTenant(tenantId, (tx) => readApproval(tx, tenantId, approvalId)),
    readSaid: (tenantId, requestId) => inTenant(tenantId, (tx) => readSaid(tx, tenantId, requestId)),
    listApprovals: (filter) => inTenant(filter.tenantId, (tx) => listApprovals(tx, filter)),
    listGrants: (filter) => inTenant(filter.tenantId, (tx) => listGrants(tx, filter)),
    getGrant: (principal, id) => inTenant(principal.tenantId, (tx) => getGrant(tx, principal, id)),
    revokeGrant: (principal, id) => inTenant(principal.tenantId, (tx) => revokeGrant(tx, principal, id)),
    auditTrail: (tenantId, approvalId) => inTenant(tenantId, (tx) => auditTrail(tx, tenantId, approvalId)),
    listAudit: (filter) => inTenant(filter.tenantId, (tx) => listAudit(tx, filter)),
    auditedTenants: () => asSystem(auditedTenants),
    verifyAudit: (tenantId, anchor) => verifyAudit((read) => inTenant(tenantId, read), tenantId, anchor),
    openThread: (input) => inTenant(input.tenantId, (tx) => thread.openThread(tx, input)),
    endThread: (tenantId, threadId, runId) =>
      inTenant(tenantId, (tx) => thread.endThread(tx, tenantId, threadId, runId)),
    getThread: (tenantId, threadId) => inTenant(tenantId, (tx) => thread.getThread(tx, tenantId, threadId)),
    listThreads: (filter) => inTenant(filter.tenantId, (tx) => thread.listThreads(tx, filter)),
    appendEntries: (tenantId, threadId, entries) =>
      inTenant(tenantId, (tx) => thread.appendEntries(tx, tenantId, threadId, entries)),
    readEntries: (tenantId, threadId, beforeKey) =>
      inTenant(tenantId, (tx) => thread.readEntries(tx, tenantId, threadId, beforeKey)),
  });
  return {
    ...verbs,
    observe: (observer) => {
      observers.add(observer);
      return () => observers.delete(observer);
    },
    exportAudit: (tenantId, { format }) =>
      exportLines(
        readAll((after) => verbs.listAudit({ tenantId, after })),
        format,
      ),
  };
}

/** Every verb that answers with a promise. */
type Verbs = Omit<Store, "exportAudit" | "observe">;

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
