import type { CronTrigger } from "../../apps/registry.js";
import type { Core } from "../../core.js";
import type { CronSchedule } from "../../cron/cron-schedule.js";
import type { Clock } from "../../protocol/clock.js";
import { deleteExpiredKeys } from "../../store/idempotency.js";
import { findNextDeadline, listDueItems } from "../../store/queue.js";
import { deleteEnded } from "../../store/retention.js";
import type { Write } from "../../store/write.js";
import { TakenOverError } from "../../store/writer.js";
import { explainFailure } from "../explain-failure.js";
import { expireWaits } from "../runs/expire-waits.js";
import { startCronRuns } from "../runs/start-cron-runs.js";
import { Dispatcher } from "./dispatcher.js";
import type { InFlight } from "./in-flight.js";
import { Timer } from "./timer.js";

/** Maximum number of due items that one scan reads. */
const SCAN_LIMIT = 500;

/** Pause before the next scan after a failed one, in milliseconds. */
const RESCAN_DELAY_MS = 1_000;

/** Interval between deletions of old runs and events, in milliseconds. */
const RETENTION_INTERVAL_MS = 60 * 60 * 1000;

/**
 * Starts work when it is due. Items that a write adds start as soon as it is durable. Everything later is read from
 * the database when a single timer fires.
 */
export class Scheduler {
  readonly #dispatcher: Dispatcher;
  readonly #timer: Timer;
  readonly #idleWaiters = new Set<() => void>();
  #scan: Promise<void> | undefined;
  #scanAgain = false;
  #running = false;
  #unsubscribe: (() => void) | undefined;
  /** The time of the next deletion of old runs and events. */
  #retentionAt = 0;

  constructor(
    private readonly core: Core,
    private readonly clock: Clock,
    private readonly crons: CronSchedule<CronTrigger>,
    inFlight: InFlight,
  ) {
    this.#timer = new Timer(clock, () => void this.#look());
    this.#dispatcher = new Dispatcher(core, inFlight, {
      onSettled: () => this.settled(),
      onFailed: () => this.lookSoon(),
      onTakenOver: () => this.#yield(),
    });
  }

  async start(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    await deleteExpiredKeys(this.core.db, this.core.now());
    this.crons.set(this.core.registry.cronTriggers(), this.core.now());
    this.#unsubscribe = this.clock.onChange?.(() => this.#look());
    this.#dispatcher.start();
    await this.#look();
  }

  /** Stops starting work and waits for work in progress. */
  async stop(): Promise<void> {
    this.#halt();
    await this.#scan;
    await this.#until(() => !this.#dispatcher.isBusy && this.core.writer.pending === 0);
  }

  /** Resolves when no work is in progress and none is due. */
  async idle(): Promise<void> {
    await this.#until(() => this.#isIdle());
  }

  /** Starts the work that a durable write has made due. */
  committed(write: Write): void {
    if (!this.#running) return;
    for (const at of write.deadlines) this.#timer.wakeAt(at);
    // Retention deletes only ended runs, so it has work only after a run has ended.
    if (write.endedRuns.length > 0 && this.core.retentionMs !== undefined)
      this.#timer.wakeAt(this.#retentionAt);
    const ended = new Set(write.endedRuns);
    this.#dispatcher.add(write.enqueued.filter((item) => !ended.has(item.runId)));
  }

  /** Scans for work that is due although nothing has said so, after a failure. */
  lookSoon(): void {
    if (this.#running) this.#timer.wakeAt(this.core.now() + RESCAN_DELAY_MS);
  }

  /** Must be called after an app has registered. */
  appsChanged(): void {
    if (!this.#running) return;
    this.crons.set(this.core.registry.cronTriggers(), this.core.now());
    if (this.crons.nextAt !== undefined) this.#timer.wakeAt(this.crons.nextAt);
    this.#dispatcher.unpark();
  }

  #isIdle(): boolean {
    const begun = this.#dispatcher.isBusy || this.#scan !== undefined || this.core.writer.pending > 0;
    return !begun && !(this.#running && this.#timer.isDue);
  }

  /** Scans the database for due work. Only one scan runs at a time. */
  #look(): Promise<void> {
    if (!this.#running) return Promise.resolve();
    if (this.#scan) {
      this.#scanAgain = true;
      return this.#scan;
    }
    this.#scan = this.#lookOnce()
      .catch((error: unknown) => {
        if (error instanceof TakenOverError) return this.#yield();
        this.core.logger.error(`Could not read due work: ${explainFailure(error)}`);
        this.lookSoon();
      })
      .finally(() => {
        this.#scan = undefined;
        this.settled();
      });
    return this.#scan;
  }

  async #lookOnce(): Promise<void> {
    do {
      this.#scanAgain = false;
      this.#timer.reset();
      const now = this.core.now();
      await startCronRuns(this.core, this.crons.takeDue(now));
      await expireWaits(this.core);
      await this.#deleteOld(now);
      const items = await listDueItems(this.core.db, now, SCAN_LIMIT);
      if (items.length > 0) await this.core.writer.requireOwnership();
      this.#dispatcher.add(items);
      const deadlines = [await findNextDeadline(this.core.db, now), this.crons.nextAt];
      for (const at of deadlines) if (at !== undefined && this.#running) this.#timer.wakeAt(at);
      if (items.length === SCAN_LIMIT) this.#timer.wakeAt(now + RESCAN_DELAY_MS);
    } while (this.#scanAgain);
  }

  async #deleteOld(now: number): Promise<void> {
    const { retentionMs, writer } = this.core;
    if (retentionMs === undefined || now < this.#retentionAt) return;
    this.#retentionAt = now + RETENTION_INTERVAL_MS;
    let more = true;
    while (more && this.#running) more = await writer.transact((tx) => deleteEnded(tx, now - retentionMs));
  }

  #yield(): void {
    if (this.#running) this.core.logger.warn(new TakenOverError().message);
    this.#halt();
  }

  #halt(): void {
    this.#running = false;
    this.#unsubscribe?.();
    this.#timer.reset();
    this.#dispatcher.stop();
    this.settled();
  }

  /** Wakes callers that wait until the engine is idle. */
  settled(): void {
    for (const check of this.#idleWaiters) check();
  }

  #until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!condition()) return;
        this.#idleWaiters.delete(check);
        resolve();
      };
      this.#idleWaiters.add(check);
      check();
    });
  }
}
