import type { Approval } from "../../approval/approval.js";
import type { Stop } from "../../stops/stop.js";
import type { GrantRow } from "../call-seen.js";
import { contradicts, isStillHeld, type TrailEntry } from "../evidence/trail.js";
import type { Objection, StartCheck } from "../ports/approval-port.js";
import { firstRefusal } from "./first-refusal.js";
import type { BasisResult } from "./read-basis.js";

/** Who or what approved a call, and the grant behind it, if there is one. */
export interface StartBasis {
  /** `undefined` for a call that the policy itself approved. */
  reading: BasisResult | undefined;
  grant: GrantRow | undefined;
}

/** A call that is about to start, or to continue after a crash. */
export interface StartToCheck {
  approval: Approval & { status: "approved" | "executing" };
  /** The run that would start it. */
  startedBy: string | null;
  /** The log's entries about the call. */
  trail: readonly TrailEntry[];
  /** It was approved too long ago to start now. */
  isOverdue: boolean;
  /** Whether what approved it is checked again before it continues, which takes signatures. */
  provesAgain: boolean;
  /** The check of the gate: the row, the tool, the policy of today, and those who approved. */
  check: StartCheck;
  /** The engaged stop that covers the call, if there is one. */
  stop: Stop | undefined;
  /** Checks the signatures behind the approval. */
  readBasis(): Promise<StartBasis>;
}

/** How a call ends that may not start: it is withdrawn, or interrupted if it had started; it expires; or another run has it. */
export type StartRefusal =
  | (Objection & { end: "over"; stopId?: string })
  | { end: "expired" }
  | { end: "started_elsewhere" };

type RefuseStart = (start: StartToCheck) => StartRefusal | undefined | Promise<StartRefusal | undefined>;

/**
 * Why an approved call does not start. The first that applies is what people and the model read, so the order is a promise:
 * what the log contradicts is never a stop's doing, nobody is blamed for a call that was stopped, and a call is only called
 * overdue if it could have started.
 */
export const startRefusals = [
  contradicted,
  startedElsewhere,
  stopped,
  stillHeld,
  notApproved,
  overdue,
] as const satisfies readonly RefuseStart[];

/** The first of {@link startRefusals} that applies. */
export function refuseStart(start: StartToCheck): Promise<StartRefusal | undefined> {
  return firstRefusal<StartToCheck, StartRefusal>(startRefusals, start);
}

/** Its row says that it may start or continue, though it has started or ended by the log. */
function contradicted({ approval, trail }: StartToCheck): StartRefusal | undefined {
  return contradicts(trail, approval.status)
    ? { end: "over", cause: "evidence_invalid", field: "status" }
    : undefined;
}

/** Another run may be carrying it out right now, so this one may not end it. */
function startedElsewhere({ approval, startedBy }: StartToCheck): StartRefusal | undefined {
  const isOthers =
    approval.status === "executing" && approval.startedBy !== null && approval.startedBy !== startedBy;
  return isOthers ? { end: "started_elsewhere" } : undefined;
}

/** A stop also keeps an idempotent handler from running again after a crash. A durable one has started, so it continues. */
function stopped({ approval, stop }: StartToCheck): StartRefusal | undefined {
  if (approval.status === "executing" && approval.handlerKind !== "idempotent") return undefined;
  return stop && { end: "over", cause: "stopped", stopId: stop.id };
}

/** By the log, the person can still take the decision back. */
function stillHeld({ approval, trail }: StartToCheck): StartRefusal | undefined {
  return approval.status === "approved" && isStillHeld(trail)
    ? { end: "over", cause: "digest_changed" }
    : undefined;
}

/** The call, or what approved it, is not what the start needs. A changed call is named before a revoked grant or bad evidence. */
async function notApproved({
  approval,
  check,
  provesAgain,
  readBasis,
}: StartToCheck): Promise<StartRefusal | undefined> {
  if (approval.status === "executing" && !provesAgain) return undefined;
  const { reading, grant } = await readBasis();
  const objection = check(approval, reading?.ok ? reading.basis : undefined);
  if (objection && objection.cause !== "evidence_invalid") return { end: "over", ...objection };
  if (approval.grantId !== null && (!grant || grant.revokedAt !== null)) {
    return { end: "over", cause: "grant_revoked" };
  }
  if (reading?.ok === false) return { end: "over", cause: "evidence_invalid", field: reading.field };
  return objection && { end: "over", ...objection };
}

function overdue({ approval, isOverdue }: StartToCheck): StartRefusal | undefined {
  return approval.status === "approved" && isOverdue ? { end: "expired" } : undefined;
}
