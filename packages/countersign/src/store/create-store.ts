import { consoleLogger } from "@countersign/policy/internal/shared/logger";
import { nameOfThrown } from "@countersign/policy/internal/shared/name-of-thrown";
import { storableText } from "@countersign/policy/internal/shared/storable-text";
import { withinTime } from "@countersign/policy/internal/shared/within-time";
import { exportLines } from "../audit/export-lines.js";
import { isPublished } from "../audit/published-types.js";
import { auditPositions, readAll } from "./audit/audit.js";
import { createChangeFeed, type Listen, noticesOf } from "./connection/change-feed.js";
import { createDatabaseClock, readTime } from "./connection/database-clock.js";
import { createNotices } from "./connection/notices.js";
import type { Once } from "./connection/once.js";
import { defaultWaitTimeoutMs } from "./connection/transaction-deadline.js";
import type { Database } from "./database.js";
import { isMigrated, migrate } from "./migrations/migrations.js";
import type { Recorded } from "./ports/audit-port.js";
import { type Brand, databaseFailed, type Verbs, withSafeErrors } from "./safe-errors.js";
import { scopesOf } from "./scopes.js";
import type { Store } from "./store.js";
import { openTransactions, type TransactionOptions } from "./transact.js";
import { openVerbs } from "./verb.js";
import { approvalVerbs } from "./verbs/approval-verbs.js";
import { auditVerbs } from "./verbs/audit-verbs.js";
import { deliveryVerbs } from "./verbs/delivery-verbs.js";
import { engineVerbs } from "./verbs/engine-verbs.js";
import { evidenceVerbs } from "./verbs/evidence-verbs.js";
import { grantVerbs } from "./verbs/grant-verbs.js";
import { hostVerbs } from "./verbs/host-verbs.js";
import { pushVerbs } from "./verbs/push-verbs.js";
import { readingVerbs } from "./verbs/reading-verbs.js";
import { requestVerbs } from "./verbs/request-verbs.js";
import { stopVerbs } from "./verbs/stop-verbs.js";
import { threadVerbs } from "./verbs/thread-verbs.js";
import { createWriteProbe } from "./write-probe.js";

/** What a driver supplies. Everything else is the same for all drivers. */
export interface StoreDriver {
  db: Database;
  /** Whether `db` begins its transactions read committed. Otherwise each transaction sets the level itself. */
  beginsReadCommitted: boolean;
  /** Sends one statement outside of transactions. @default as Drizzle does */
  once?: Once | undefined;
  /** The same database for transactions without a time limit, if `db` limits them. */
  unlimited?: Database | undefined;
  close(): Promise<void>;
  listen: Listen;
  /** Milliseconds by which tests shift the database's time; 0 in production. */
  clockOffset?: (() => number) | undefined;
  /** Maximum milliseconds that a transaction waits for a connection, and again for a lock. */
  waitTimeoutMs?: number | undefined;
}

/** Maximum milliseconds for which closing waits for the last notices, and then for the last transactions. */
const closeMs = 2_000;

/** Calls a listener after the commit. If it throws, what was committed stays. */
function notify<T>(listener: (value: T) => void, value: T): void {
  try {
    listener(value);
  } catch (error) {
    consoleLogger.error("An observer of the store threw", { error: nameOfThrown(error) });
  }
}

/** The store on any Drizzle database for Postgres. */
export function createStore(driver: StoreDriver): Store {
  const observers = new Set<(recorded: Recorded) => void>();
  const dueListeners = new Set<(ids: readonly string[]) => void>();
  const transitionListeners = new Set<(tenantIds: readonly string[]) => void>();
  const clockOffset = () => driver.clockOffset?.() ?? 0;
  const notices = createNotices((payloads) => driver.db.execute(noticesOf(payloads)));
  const options: TransactionOptions = {
    clockOffset,
    beginsReadCommitted: driver.beginsReadCommitted,
    waitTimeoutMs: driver.waitTimeoutMs ?? defaultWaitTimeoutMs,
    onCommitted: (audited, due, told) => {
      notices.add(told);
      if (due.length > 0) for (const listener of dueListeners) notify(listener, due);
      const moved = audited.filter(
        ({ type, countedOnly, sentByRun }) => isPublished(type) && !countedOnly && !sentByRun,
      );
      const tenantIds = [...new Set(moved.map(({ tenantId }) => storableText(tenantId)))];
      if (tenantIds.length > 0) for (const listener of transitionListeners) notify(listener, tenantIds);
      for (const { type, data, waitedMs = null, countedOnly = false } of audited) {
        const code = typeof data?.code === "string" ? data.code : null;
        const cause = typeof data?.cause === "string" ? data.cause : null;
        for (const observe of observers)
          notify(observe, { type, code, cause, waitedMs, written: !countedOnly });
      }
    },
  };
  const transactions = openTransactions(driver.db, options);
  const { track } = transactions;
  const judging = openVerbs(driver.db, { ...options, track, once: driver.once });
  const scopes = scopesOf(transactions, judging);
  const { asSystem } = transactions;
  const feed = createChangeFeed(driver.listen, (tenantIds) =>
    asSystem((tx) => auditPositions(tx, tenantIds)),
  );
  const writes = createWriteProbe(asSystem, () => performance.now() + clockOffset());
  const unsafe: Verbs = {
    now: createDatabaseClock(() => asSystem(readTime), clockOffset),
    migrate: (options) => migrate(driver.unlimited ?? driver.db, options),
    isMigrated: () => asSystem(isMigrated),
    probeWrites: async () => {
      const sqlState = await writes.refusal();
      if (sqlState !== undefined) throw databaseFailed("probeWrites", sqlState);
    },
    subscribe: (tenantId, onChange) => feed.subscribe(tenantId, onChange),
    close: async () => {
      await feed.close();
      await withinTime(closeMs, notices.sent).catch(() => {});
      // PGlite before 0.5 never ends if it is closed within a transaction.
      await withinTime(closeMs, transactions.ended).catch(() => {});
      await driver.close();
    },
    ...requestVerbs(scopes),
    ...engineVerbs(scopes),
    ...approvalVerbs(scopes),
    ...readingVerbs(scopes),
    ...evidenceVerbs(scopes),
    ...grantVerbs(scopes),
    ...stopVerbs(scopes, clockOffset),
    ...auditVerbs(scopes),
    ...threadVerbs(scopes),
    ...hostVerbs(scopes),
    ...pushVerbs(scopes),
    ...deliveryVerbs(scopes),
  };
  const verbs = withSafeErrors(unsafe, writes.note);
  const store: Omit<Store, Brand> = {
    ...verbs,
    observe: (observer) => {
      observers.add(observer);
      return () => observers.delete(observer);
    },
    onDue: (listener) => {
      dueListeners.add(listener);
      return () => dueListeners.delete(listener);
    },
    onTransitions: (listener) => {
      transitionListeners.add(listener);
      return () => transitionListeners.delete(listener);
    },
    exportAudit: (tenantId, { format, ...part }) =>
      exportLines(
        readAll((after) => verbs.listAudit({ tenantId, after }), part),
        format,
      ),
    withVerbs: (make) => withSafeErrors(make(scopes), writes.note),
  };
  return store as Store;
}
