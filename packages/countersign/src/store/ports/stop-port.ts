// Do not import Drizzle here: public declarations include this file.
import type { NewStop, ReleaseStopResult, Stop, StopFilter, StopRelease } from "../../stops/stop.js";

/** Operators' stops. */
export interface StopPort {
  /**
   * Stops calls before they start: at once if they need approval, otherwise in every process within a second.
   * Idempotent.
   *
   * @throws CountersignError `invalid_request` naming the field, `stop_limit`.
   */
  engageStop(stop: NewStop): Promise<Stop>;
  /** Lets such calls start again, unless another stop covers them. @throws CountersignError `invalid_request`. */
  releaseStop(release: StopRelease): Promise<ReleaseStopResult>;
  /** Stops, newest first. */
  listStops(filter: StopFilter): Promise<Stop[]>;
  /** Tools of calls that needed approval within the last 30 days; `null`: of all tenants. */
  recentTools(tenantId: string | null): Promise<string[]>;
  /** The engaged stops of all tenants, at most half a second old. */
  engagedStops(): Promise<readonly Stop[]>;
}
