import { AsyncLocalStorage } from "node:async_hooks";
import type { ThreadPlace } from "../../store/ports/thread-port.js";

/** A user's message and everything that answers it, within one execution (one replay) of a run. */
export interface RunningTurn {
  tenantId: string;
  threadId: string;
  runId: string | null;
  /** The user's message. */
  content: string;
  key: string;
  /** The position of the user's message in the thread. On every replay, the run loads the entries before it. */
  place: ThreadPlace | undefined;
  thread: RunningThread;
  /** Number of results in its state when it began. */
  earlierResults: number;
  /** The turn of the network in whose tool this one began. */
  outer: RunningTurn | undefined;
}

/** A thread within one execution of a run. */
export interface RunningThread {
  /** Keys of the run's entries that are in the database. */
  written: Set<string>;
  /** How many turns have begun with the same network and message. */
  begun: Map<string, number>;
  /** Keys of the messages of all turns that have begun. */
  messages: Set<string>;
  /** The turns that have not ended. */
  open: Set<RunningTurn>;
}

/** One run of a network. Its own turn is the first that begins in it. */
interface NetworkScope {
  turn?: RunningTurn;
  outer: NetworkScope | undefined;
}

export function turnAround(scope: NetworkScope | undefined): RunningTurn | undefined {
  return scope && (scope.turn ?? turnAround(scope.outer));
}

const networkRuns = new AsyncLocalStorage<NetworkScope>();

/** The run of a network around the caller, if any. */
export function currentNetwork(): NetworkScope | undefined {
  return networkRuns.getStore();
}

/** Runs a network. If it fails, its turn ends too, which AgentKit does not report. */
export function asNetworkRun<T>(run: () => Promise<T>): Promise<T> {
  const scope: NetworkScope = { outer: networkRuns.getStore() };
  return networkRuns.run(scope, async () => {
    try {
      return await run();
    } catch (error) {
      if (scope.turn) scope.turn.thread.open.delete(scope.turn);
      throw error;
    }
  });
}
