// Do not import Drizzle here: public declarations include this file.
import type { WakeUp } from "./request-port.js";

/**
 * Problems of the engine and the channels: the engine does not answer checks, it has lost runs in the last 15 minutes,
 * or a message has failed for 15 minutes.
 */
export interface EngineHealth {
  problems: ("engine_silent" | "runs_lost" | "deliveries_failing" | "recipients_disabled")[];
}

/** Whether the engine still has the runs that wait. */
export interface EnginePort {
  /** A secret of this database, for ids and tokens that nobody can guess, and for sealed texts. Every process reads the same. */
  nameSecret(): Promise<string>;
  /**
   * Records that the app's relay has got through its work. Returns the canary run to check now and the number of its checks, or `undefined` if no run waits. `runs`: false until the
   * app's first canary has answered.
   */
  watchEngine(appId: string): Promise<{ canaryId: string; runs: boolean; checks: number } | undefined>;
  /** Records that the app's canary has answered. */
  recordAnswer(appId: string, canaryId: string): Promise<void>;
  /** Replaces a canary by one that has answered. */
  replaceCanary(appId: string, replaced: string, successor: string): Promise<void>;
  /**
   * Forgets the canaries of all apps, because the database or the engine was restored from a backup: an old canary would
   * only prove that the engine has kept the canary. The next ones have every waiting run checked.
   */
  forgetCanaries(): Promise<void>;
  /** Wake-ups for waiting runs of the app older than the canary; without `first`, only for those that have not answered. */
  probeRuns(appId: string, canaryId: string, options: { first: boolean }): Promise<WakeUp[]>;
  /** Ids of the runs that have not answered; with `all`, also of those that cannot be probed. */
  lostRuns(appId: string, canaryId: string, options: { all: boolean }): Promise<string[]>;
  recordLost(appId: string, count: number): Promise<void>;
  /** What `/readyz` reports about the engine and the channels. */
  engineHealth(): Promise<EngineHealth>;
}
