import type { Approval } from "../approval/approval.js";
import type { AssignInput, ExtendInput, LookInput, ResolveInput, Store, WakeUp } from "../store/store.js";
import { wakeUpOf } from "./decision-result.js";
import { assignedOrError, extendedOrError, lookedOrError, resolvedOrError } from "./people-result.js";

/** What people do about a call beside deciding it. The caller has verified each principal. */
export interface People {
  /**
   * Says who should decide a pending call. Where its rule is `delegable`, that person then may, whatever roles they have.
   * @throws CountersignError `not_found`, `forbidden`, `self_approval`, or why the call is not pending.
   */
  assign(input: AssignInput): Promise<Approval>;
  /**
   * Notes for a minute who has a pending call open; repeat it while they have. It binds nobody.
   * @throws CountersignError `not_found`, `forbidden`, or why the call is not pending.
   */
  look(input: LookInput): Promise<Approval>;
  /**
   * Lengthens the time to decide a pending call.
   * @throws CountersignError `not_found`, `forbidden`, `self_approval`, `invalid_extension`, `no_extension_left`, or why
   * the call is not pending.
   */
  extend(input: ExtendInput): Promise<Approval>;
  /**
   * Records, once, what a person found out about a call that was cut off.
   * @throws CountersignError `not_found`, `forbidden`, `self_approval`, `not_interrupted`, `already_resolved`, `no_rerun`.
   */
  resolve(input: ResolveInput): Promise<Approval>;
}

export function createPeople(
  store: Store,
  tell: {
    wake(wakeUps: readonly WakeUp[]): Promise<void>;
    tellResolved(approval: Approval): Promise<void>;
  },
): People {
  return {
    async assign(input) {
      const result = await store.assign(input);
      await tell.wake(wakeUpOf(result));
      return assignedOrError(result);
    },
    look: async (input) => lookedOrError(await store.look(input)),
    async extend(input) {
      const result = await store.extend(input);
      await tell.wake(wakeUpOf(result));
      return extendedOrError(result);
    },
    async resolve(input) {
      const resolved = resolvedOrError(await store.resolve(input));
      await tell.tellResolved(resolved);
      return resolved;
    },
  };
}
