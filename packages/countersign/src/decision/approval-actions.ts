import type { Approval } from "../approval/approval.js";
import type { EvidenceSigner } from "../evidence/evidence-signer.js";
import type {
  AssignInput,
  ExtendInput,
  ResolveInput,
  SnoozeInput,
  TakeBackInput,
  ViewingInput,
} from "../store/ports/approval-port.js";
import type { WakeUp } from "../store/ports/request-port.js";
import type { Store } from "../store/store.js";
import { type ActionResult, approvalOrError, type Tried, wakeUpOf } from "./approval-or-error.js";
import { requireStorable } from "./require-storable.js";

/** Actions of people on a call other than decisions. The caller has verified each principal. */
export interface ApprovalActions {
  /**
   * Assigns a pending call. If its rule is `delegable`, the assignee may then decide, whatever their roles.
   * @throws CountersignError `not_found`, `forbidden`, `self_approval`, `invalid_request` for an id that cannot be
   * stored, or why the call is not pending.
   */
  assign(input: AssignInput): Promise<Approval>;
  /**
   * Takes back what this person decided: a decision as long as it is held, or their vote as long as the call waits for
   * others. The call then waits again.
   * @throws CountersignError `not_found`, `forbidden` if somebody else decided, `too_late`.
   */
  takeBack(input: TakeBackInput): Promise<Approval>;
  /**
   * Records a viewer of a pending call for a minute; repeat it while the call is open on screen. It binds nobody.
   * @throws CountersignError `not_found`, `forbidden`, or why the call is not pending.
   */
  setViewing(input: ViewingInput): Promise<Approval>;
  /**
   * Puts a pending call aside for one person until a time, or with `null` brings it back. It changes nothing for others.
   * @throws CountersignError `not_found`, `forbidden`, `invalid_snooze` with the latest time, or why the call is not
   * pending.
   */
  snooze(input: SnoozeInput): Promise<Approval>;
  /**
   * Extends the time to decide a pending call.
   * @throws CountersignError `not_found`, `forbidden`, `self_approval`, `invalid_extension`, `no_extension_left`, or why
   * the call is not pending.
   */
  extend(input: ExtendInput): Promise<Approval>;
  /**
   * Records, once, what a person found out about an interrupted call.
   * @throws CountersignError `not_found`, `forbidden`, `self_approval`, `not_interrupted`, `already_resolved`, `no_rerun`,
   * `invalid_request` for a note that cannot be stored.
   */
  resolve(input: ResolveInput): Promise<Approval>;
}

export function createApprovalActions(
  store: Store,
  signer: EvidenceSigner | undefined,
  wake: (wakeUps: readonly WakeUp[]) => Promise<void>,
): ApprovalActions {
  const concluded = async (result: ActionResult, tried: Tried): Promise<Approval> => {
    await wake(wakeUpOf(result));
    return approvalOrError(result, tried);
  };
  return {
    async assign(input) {
      requireStorable("to", input.to);
      return concluded(await store.assign(input, signer), { action: "assign", ...input });
    },
    takeBack: async (input) => concluded(await store.takeBack(input), { action: "take_back", ...input }),
    setViewing: async (input) => concluded(await store.setViewing(input), { action: "view", ...input }),
    snooze: async (input) => concluded(await store.snooze(input), { action: "snooze", ...input }),
    extend: async (input) => concluded(await store.extend(input), { action: "extend", ...input }),
    async resolve(input) {
      requireStorable("note", input.note);
      return concluded(await store.resolve(input, signer), { action: "resolve", ...input });
    },
  };
}
