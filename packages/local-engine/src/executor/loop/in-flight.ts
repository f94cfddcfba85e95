import type { QueueItem } from "../../store/schema.js";

/** A request that an app is working on. */
export interface Dispatch {
  item: QueueItem;
  requestId: string;
}

/** The requests that apps are processing. A checkpoint must belong to one of them. */
export class InFlight {
  readonly #dispatches = new Map<string, Dispatch>();

  get size(): number {
    return this.#dispatches.size;
  }

  has(itemId: string): boolean {
    return this.#dispatches.has(itemId);
  }

  start(dispatch: Dispatch): void {
    this.#dispatches.set(dispatch.item.id, dispatch);
  }

  end(itemId: string): void {
    this.#dispatches.delete(itemId);
  }

  /** The dispatch to which a checkpoint belongs; undefined if the checkpoint is stale. */
  find(claim: {
    itemId: string | undefined;
    runId: string;
    requestId: string | undefined;
    generation: number | undefined;
  }): Dispatch | undefined {
    const dispatch = claim.itemId === undefined ? undefined : this.#dispatches.get(claim.itemId);
    if (!dispatch) return undefined;
    const { item, requestId } = dispatch;
    const matches =
      item.runId === claim.runId &&
      (claim.requestId === undefined || claim.requestId === requestId) &&
      (claim.generation === undefined || claim.generation === item.generation);
    return matches ? dispatch : undefined;
  }
}
