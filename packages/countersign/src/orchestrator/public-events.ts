import { eventType } from "inngest";
import * as z from "zod";
import type { Approval } from "../approval/approval.js";

/** The data of every event about a call. Never arguments, reasons or results, which may hold secrets. */
const call = {
  approvalId: z.string(),
  requestId: z.string(),
  tenantId: z.string(),
  threadId: z.string().nullable(),
  toolName: z.string(),
};

export function callData(approval: Approval) {
  const { id: approvalId, requestId, tenantId, threadId, toolName } = approval;
  return { approvalId, requestId, tenantId, threadId, toolName };
}

/** A transition in the audit log. */
const transition = {
  ...call,
  /** The digest of what was approved or refused. See docs/operating/evidence.md. */
  digest: z.string(),
  /** The person who acted; `null` for the policy, the run or an expiry. */
  actorId: z.string().nullable(),
  /** The time by the database's clock: ISO 8601 in UTC. */
  at: z.string(),
  /** The position of the transition's entry in the tenant's audit log. */
  position: z.number(),
};

const decided = z.object({
  ...transition,
  status: z.enum(["approved", "denied", "responded"]),
  decision: z.enum(["approve", "edit", "deny", "respond"]),
  by: z.enum(["person", "grant", "policy"]),
  /** The action's fingerprint as by `fingerprintOf`, without `path`, which is an argument. */
  fingerprint: z.object({
    actionKind: z.enum(["destructive", "protected"]),
    toolName: z.string(),
    scope: z.string().optional(),
    payloadHash: z.string(),
  }),
});
const expired = z.object({ ...transition, status: z.literal("expired") });
const withdrawn = z.object({
  ...transition,
  status: z.literal("withdrawn"),
  /** The reason, such as `superseded` or `run_cancelled`: a `WithdrawalCause`. */
  cause: z.string().nullable(),
});
const started = z.object({ ...transition, status: z.literal("executing") });
const finished = z.object({ ...transition, status: z.enum(["executed", "failed", "interrupted"]) });
const resolved = z.object({
  ...transition,
  status: z.literal("interrupted"),
  outcome: z.enum(["done", "failed", "rerun"]),
});

const hitlResolved = z.object({
  /** The `eventIdToWaitFor` that the host saved. */
  eventId: z.string(),
  approvalId: z.string(),
  approved: z.boolean(),
  /** The person who decided; `null` if the approval expired or was withdrawn. */
  userId: z.string().nullable(),
  /** The person's reason, if they gave one, or why nobody decided. */
  reason: z.string().nullable(),
});

/**
 * The events that Countersign sends for your own Inngest functions, as triggers with types. Each is sent at least once,
 * with an id by which Inngest ignores repeats. An event is only a notice and proves nothing: check the API before you
 * act on it.
 *
 * @example
 * ```ts
 * import { approvalEvents } from "countersign";
 * import { Inngest } from "inngest";
 *
 * const inngest = new Inngest({ id: "desk" });
 * export const tellAccounting = inngest.createFunction(
 *   { id: "tell-accounting", triggers: [approvalEvents.finished] },
 *   async ({ event }) => `${event.data.toolName}: ${event.data.status}`,
 * );
 * ```
 */
export const approvalEvents = {
  /** A call waits for a decision. */
  pending: eventType("countersign/approval.pending", { schema: z.object(call) }),
  /** A call is still pending; further roles may now decide. */
  reminder: eventType("countersign/approval.reminder", {
    schema: z.object({ ...call, step: z.number(), roles: z.array(z.string()) }),
  }),
  /** A person, a grant or the policy decided. */
  decided: eventType("countersign/approval.decided", { schema: decided }),
  /** Nobody decided in time, or the run never started the call. */
  expired: eventType("countersign/approval.expired", { schema: expired }),
  /** The call was withdrawn; `cause` says why. */
  withdrawn: eventType("countersign/approval.withdrawn", { schema: withdrawn }),
  /** The call has started. */
  started: eventType("countersign/approval.started", { schema: started }),
  /** The call ran, failed or was interrupted. */
  finished: eventType("countersign/approval.finished", { schema: finished }),
  /** A person recorded the outcome of an interrupted call. */
  resolved: eventType("countersign/approval.resolved", { schema: resolved }),
  /** An approval that the host saved with `savePendingApproval` was decided, has expired or was withdrawn. */
  hitlResolved: eventType("hitl.approval.resolved", { schema: hitlResolved }),
  /** A call runs without approval, and the policy wants people to be notified. */
  notified: eventType("countersign/call.notified", { schema: z.object(call) }),
};

/** The data of the event that a host waits for. */
export type HitlResolvedData = z.infer<typeof hitlResolved>;

/** The data of a transition's event, without what its kind adds. */
export type TransitionData = z.infer<z.ZodObject<typeof transition>>;
