import type { Core } from "../../core.js";
import { newUlid } from "../../protocol/identifiers.js";
import { DISCOVERY } from "../../store/queue.js";
import type { QueueItem } from "../../store/schema.js";
import { TakenOverError } from "../../store/writer.js";
import { executeItem } from "../execute.js";
import { explainFailure } from "../explain-failure.js";
import type { InFlight } from "./in-flight.js";

/** Maximum number of concurrent requests to apps. */
const MAX_CONCURRENT_REQUESTS = 32;

/** Maximum number of ready items whose runs stay in memory from the write that added them. */
const MAX_HELD_READY = 64;

/** Processes queue items, oldest first, a limited number at a time. */
export class Dispatcher {
  readonly #ready: QueueItem[] = [];
  /** Items that are ready or in progress, by id, and whether they hold their runs in memory. */
  readonly #known = new Map<string, boolean>();
  /** Ids of runs whose discovery request is in progress. */
  readonly #discovering = new Set<string>();
  /** Items of apps without a handler in this process. */
  #parked: QueueItem[] = [];
  #running = 0;
  #stopped = true;

  constructor(
    private readonly core: Core,
    private readonly inFlight: InFlight,
    private readonly hooks: { onSettled(): void; onFailed(): void; onTakenOver(): void },
  ) {}

  get isBusy(): boolean {
    return this.#running > 0 || (!this.#stopped && this.#ready.length > 0);
  }

  start(): void {
    this.#stopped = false;
    this.#fill();
  }

  /** Starts no further items. Those that are ready are still in the database. */
  stop(): void {
    this.#stopped = true;
    for (const item of this.#ready.splice(0)) this.#forget(item);
  }

  /** Adds items that are due. Items that are already known are skipped. */
  add(items: QueueItem[]): void {
    if (this.#stopped) return;
    for (const item of items) {
      if (this.#known.has(item.id)) continue;
      this.#known.set(item.id, false);
      if (this.#ready.length < MAX_HELD_READY) this.#hold(item);
      this.#ready.push(item);
    }
    this.#fill();
  }

  /** Retries the items whose apps had no handler. */
  unpark(): void {
    const items = this.#parked;
    this.#parked = [];
    for (const item of items) this.#forget(item);
    this.add(items);
  }

  #hold(item: QueueItem): void {
    if (this.#known.get(item.id)) return;
    this.#known.set(item.id, true);
    this.core.writer.live.hold(item.runId);
  }

  #release(item: QueueItem): void {
    if (this.#known.get(item.id)) this.core.writer.live.release(item.runId);
    this.#known.set(item.id, false);
  }

  #forget(item: QueueItem): void {
    this.#release(item);
    this.#known.delete(item.id);
  }

  #park(item: QueueItem): void {
    this.#release(item);
    this.#parked.push(item);
  }

  #fill(): void {
    while (!this.#stopped && this.#running < MAX_CONCURRENT_REQUESTS) {
      const item = this.#next();
      if (!item) return;
      this.#ready.splice(this.#ready.indexOf(item), 1);
      void this.#carryOut(item);
    }
  }

  #next(): QueueItem | undefined {
    // Two simultaneous discoveries of a run could run the same step twice.
    const mayBegin = (item: QueueItem) => item.stepId !== DISCOVERY || !this.#discovering.has(item.runId);
    const { disorder } = this.core;
    return disorder ? disorder.pick(this.#ready.filter(mayBegin)) : this.#ready.find(mayBegin);
  }

  /** Counts a repeated request, whose response is not used, until it is answered. */
  async #follow(straggler: Promise<unknown>): Promise<void> {
    this.#running++;
    await straggler;
    this.#running--;
    this.#fill();
    this.hooks.onSettled();
  }

  async #carryOut(item: QueueItem): Promise<void> {
    const requestId = newUlid(this.core.now());
    this.#running++;
    this.#hold(item);
    this.inFlight.start({ item, requestId });
    if (item.stepId === DISCOVERY) this.#discovering.add(item.runId);
    let parked = false;
    const onRepeated = (straggler: Promise<unknown>) => void this.#follow(straggler);
    try {
      parked = (await executeItem(this.core, item, requestId, onRepeated)) === "app-not-here";
    } catch (error) {
      if (error instanceof TakenOverError) this.hooks.onTakenOver();
      else {
        // The item is still in the database and will be read again.
        this.core.logger.error(`Could not process a request of run ${item.runId}: ${explainFailure(error)}`);
        this.hooks.onFailed();
      }
    } finally {
      this.#running--;
      this.inFlight.end(item.id);
      this.#discovering.delete(item.runId);
      if (parked) this.#park(item);
      else this.#forget(item);
      this.#fill();
      this.hooks.onSettled();
    }
  }
}
