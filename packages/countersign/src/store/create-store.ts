import { exportLines } from "../audit/export-lines.js";
import { isPublished } from "../audit/published-types.js";
import { consoleLogger } from "../shared/logger.js";
import { nameOfThrown } from "../shared/name-of-thrown.js";
import { storableText } from "../shared/storable-text.js";
import { approvalVerbs } from "./approval/approval-verbs.js";
import { readAll } from "./audit/audit.js";
import type { Recorded } from "./audit/audit-port.js";
import { auditVerbs } from "./audit/audit-verbs.js";
import { createChangeFeed, type Listen } from "./connection/change-feed.js";
import { createDatabaseClock, readTime } from "./connection/database-clock.js";
import { createWriteProbe } from "./connection/write-probe.js";
import type { Database } from "./database.js";
import { deliveryVerbs } from "./delivery/delivery-verbs.js";
import { evidenceVerbs } from "./evidence/evidence-verbs.js";
import { grantVerbs } from "./grant/grant-verbs.js";
import { hostVerbs } from "./host/host-verbs.js";
import { isMigrated, migrate } from "./migrations/migrations.js";
import { readingVerbs } from "./reading/reading-verbs.js";
import { engineVerbs } from "./request/engine-verbs.js";
import { requestVerbs } from "./request/request-verbs.js";
import { retentionVerbs } from "./retention/retention-verbs.js";
import { type Brand, databaseFailed, type Verbs, withSafeErrors } from "./safe-errors.js";
import { scopesOf } from "./scopes.js";
import { stopVerbs } from "./stop/stop-verbs.js";
import type { Store } from "./store.js";
import { threadVerbs } from "./thread/thread-verbs.js";
import { openTransactions } from "./transact.js";

/** What a driver supplies. Everything else is the same for all drivers. */
export interface StoreDriver {
  db: Database;
  /** Whether `db` begins its transactions read committed. Otherwise each transaction sets the level itself. */
  beginsReadCommitted: boolean;
  close(): Promise<void>;
  listen: Listen;
  /** Milliseconds by which tests shift the database's time; 0 in production. */
  clockOffset?: (() => number) | undefined;
  /** Maximum milliseconds that a transaction waits for a connection, and again for a lock. */
  waitTimeoutMs?: number | undefined;
}

/** Less than the 30 seconds after which most callers give up. */
const defaultWaitTimeoutMs = 20_000;

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
  const transactions = openTransactions(driver.db, {
    clockOffset,
    beginsReadCommitted: driver.beginsReadCommitted,
    waitTimeoutMs: driver.waitTimeoutMs ?? defaultWaitTimeoutMs,
    onCommitted: (audited, due) => {
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
  });
  const scopes = scopesOf(transactions);
  const { asSystem } = transactions;
  const feed = createChangeFeed(driver.listen);
  const writes = createWriteProbe(asSystem, () => performance.now() + clockOffset());
  const unsafe: Verbs = {
    now: createDatabaseClock(() => asSystem(readTime), clockOffset),
    migrate: (options) => migrate(driver.db, options),
    isMigrated: () => asSystem(isMigrated),
    probeWrites: async () => {
      const sqlState = await writes.refusal();
      if (sqlState !== undefined) throw databaseFailed("probeWrites", sqlState);
    },
    subscribe: (tenantId, onChange) => feed.subscribe(tenantId, onChange),
    close: async () => {
      await feed.close();
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
    ...retentionVerbs(scopes),
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
    exportAudit: (tenantId, { format }) =>
      exportLines(
        readAll((after) => verbs.listAudit({ tenantId, after })),
        format,
      ),
  };
  return store as Store;
}
