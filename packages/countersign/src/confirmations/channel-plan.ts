/** A way in which a confirmation could reach its consumer. */
export interface ConfirmationChannel {
  channel: "guard-owned" | "wrapper" | "upstream" | "node-modules-patch";
  status: "in force" | "accepted only as structured envelope" | "not supported" | "prohibited";
  why: string;
  /** What consuming evidence of this channel permits, as in `ConsumedConfirmation`. */
  dispatchAllowed: boolean;
  canOverrideMonitorBlock: false;
  authorization: "none" | "single-use";
}

export interface ConfirmationChannelPlan {
  mode: "report-only" | "authorizing";
  channels: readonly ConfirmationChannel[];
}

const nothing = { dispatchAllowed: false, canOverrideMonitorBlock: false, authorization: "none" } as const;

/**
 * The channels of operators' confirmations: which are in force, why, and what each authorizes in a mode. Pure.
 *
 * @example
 * ```ts
 * import { confirmationChannelPlan } from "countersign/evidence";
 *
 * export const inForce = confirmationChannelPlan().channels.filter(({ status }) => status === "in force");
 * ```
 */
export function confirmationChannelPlan({
  mode = "report-only",
}: {
  /** The mode of `operatorConfirmations`. @default "report-only" */
  mode?: ConfirmationChannelPlan["mode"];
} = {}): ConfirmationChannelPlan {
  const consumed: Pick<ConfirmationChannel, keyof typeof nothing> =
    mode === "authorizing" ? { ...nothing, dispatchAllowed: true, authorization: "single-use" } : nothing;
  return {
    mode,
    channels: [
      {
        channel: "guard-owned",
        status: "in force",
        why: 'The code that owns the dialog calls record() for a verified person, and consume() checks the signed record. Consumed evidence permits a dispatch only in the mode "authorizing", which the host chooses.',
        ...consumed,
      },
      {
        channel: "wrapper",
        status: "accepted only as structured envelope",
        why: "consume() takes recorded evidence in the envelope of confirmationEnvelope() and checks it in the same way. It never parses text.",
        ...consumed,
      },
      {
        channel: "upstream",
        status: "not supported",
        why: "No agent runtime sends a confirmation with the action's fingerprint in its tool calls, so there is nothing to read.",
        ...nothing,
      },
      {
        channel: "node-modules-patch",
        status: "prohibited",
        why: "A patched dependency is lost with the next install, and nothing proves what it reports.",
        ...nothing,
      },
    ],
  };
}
