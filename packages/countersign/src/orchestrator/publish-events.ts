import { setTimeout as pause } from "node:timers/promises";
import { withdrawalText } from "@countersign/policy/internal/display/withdrawal-text";
import { crashPoint } from "@countersign/policy/internal/shared/crash-point";
import { cutText } from "@countersign/policy/internal/shared/engine-text";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Logger } from "@countersign/policy/internal/shared/logger";
import { OutOfTime, withinTime } from "@countersign/policy/internal/shared/within-time";
import type { Inngest } from "inngest";
import type { PublishedType } from "../audit/published-types.js";
import { fingerprintWithoutPath } from "../evidence/action-fingerprint.js";
import type { PublishedTransition } from "../store/ports/audit-port.js";
import type { Store } from "../store/store.js";
import {
  approvalEvents,
  type callData,
  type HitlResolvedData,
  type TransitionData,
} from "./public-events.js";

/** Maximum number of transitions in one call to the engine. */
const batch = 100;
const maxTenants = 1_000;
/** Keeps a reason within the engine's limit on events. The API accepts none that is longer. */
const maxReasonLength = 2_000;
const sendTimeoutMs = 10_000;
/** What is committed within this time is published together: a call often starts and ends right after its decision. */
const gatherMs = 100;

/** What each kind of transition adds to its event. `null`: the field is in the entry's data. */
const kinds = {
  "approval.approved": { of: "decided", status: "approved", decision: "approve", by: "person" },
  "approval.edited": { of: "decided", status: "approved", decision: "edit", by: "person" },
  "approval.denied": { of: "decided", status: "denied", decision: "deny", by: "person" },
  "approval.responded": { of: "decided", status: "responded", decision: "respond", by: "person" },
  "approval.notified": { of: "decided", status: "approved", decision: "approve", by: "policy" },
  "approval.granted": { of: "decided", status: "approved", decision: "approve", by: "grant" },
  "approval.denied_by_policy": { of: "decided", status: "denied", decision: "deny", by: "policy" },
  "approval.expired": { of: "expired", status: "expired" },
  "approval.withdrawn": { of: "withdrawn", status: "withdrawn", cause: null },
  "approval.executing": { of: "started", status: "executing" },
  "approval.executed": { of: "finished", status: "executed" },
  "approval.failed": { of: "finished", status: "failed" },
  "approval.interrupted": { of: "finished", status: "interrupted" },
  "approval.resolved": { of: "resolved", status: "interrupted", outcome: null },
} as const satisfies Record<
  Exclude<PublishedType, "approval.announced">,
  { of: keyof typeof approvalEvents } & Record<string, string | null>
>;

interface PublicEvent {
  id: string;
  name: string;
  ts: number;
  data: TransitionData | HitlResolvedData | ReturnType<typeof callData>;
}

/** The events of a transition. Their ids are the same however often they are sent. */
function eventsOf(tenantId: string, transition: PublishedTransition): PublicEvent[] {
  const { type, approvalId, requestId, threadId, toolName, digest, actorId, position, data, at } = transition;
  const call = { approvalId, requestId, tenantId, threadId, toolName };
  const ts = at.getTime();
  if (type === "approval.announced") {
    return [{ id: `${approvalId}:pending`, name: approvalEvents.pending.name, ts, data: call }];
  }
  const { of, ...added } = kinds[type];
  const shared: TransitionData = { ...call, digest, actorId, at: at.toISOString(), position };
  const event = {
    id: `${approvalId}:${position}`,
    name: approvalEvents[of].name,
    ts,
    data: {
      ...shared,
      ...added,
      // The policy's entry names the requester.
      ...("by" in added && added.by === "policy" && { actorId: null }),
      ...(of === "decided" && {
        fingerprint: fingerprintWithoutPath({
          ...transition,
          digest: textOf(data.editedDigest) ?? transition.digest,
        }),
      }),
      ...("cause" in added && { cause: textOf(data.cause) }),
      ...("outcome" in added && { outcome: textOf(data.outcome) }),
    },
  };
  const resolved = hitlResolvedData(transition);
  if (!resolved) return [event];
  return [event, { id: `${approvalId}:hitl`, name: approvalEvents.hitlResolved.name, ts, data: resolved }];
}

/** What the host of a saved approval waits for: the first of its transitions after which it is not pending any more. */
function hitlResolvedData(transition: PublishedTransition): HitlResolvedData | undefined {
  const { type, approvalId, awaitedEventId: eventId, actorId, decidedAt, decisionReason } = transition;
  if (eventId === null || type === "approval.announced") return undefined;
  const kind = kinds[type];
  if (kind.of === "decided") {
    const reason = decisionReason && cutText(decisionReason, maxReasonLength);
    return { eventId, approvalId, approved: kind.status !== "denied", userId: actorId, reason };
  }
  if ((kind.of !== "expired" && kind.of !== "withdrawn") || decidedAt) return undefined;
  const cause = withdrawalText[transition.withdrawalCause ?? "orchestration_failed"];
  const reason = kind.of === "expired" ? "Nobody decided in time" : `Withdrawn: ${cause}`;
  return { eventId, approvalId, approved: false, userId: null, reason };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/**
 * Sends the events of a tenant's transitions, oldest first, and then records up to which position they were sent. If
 * the process dies in between, the events are sent again under the same ids.
 */
async function publish(inngest: Inngest.Any, store: Store, tenantId: string): Promise<number> {
  for (let sent = 0; ; ) {
    const { upTo, transitions } = await store.readUnpublished(tenantId, batch);
    if (upTo === null) return sent;
    crashPoint("before-public-events");
    const events = transitions.flatMap((transition) => eventsOf(tenantId, transition));
    if (events.length > 0)
      await withinTime(sendTimeoutMs, () => inngest.send(events), "The engine did not answer in time");
    crashPoint("after-public-events");
    await store.markPublished(tenantId, upTo);
    sent += events.length;
    if (transitions.length < batch) return sent;
  }
}

/**
 * Sends the unsent events of all tenants. For the relay. If the engine refuses the events of one tenant, it continues
 * with the others. If the engine or the database does not answer, it stops.
 */
export async function publishOverdue(inngest: Inngest.Any, store: Store, logger: Logger): Promise<number> {
  let sent = 0;
  const refused: string[] = [];
  let firstError: unknown;
  for (const tenantId of await store.unpublishedTenants(maxTenants)) {
    try {
      sent += await publish(inngest, store, tenantId);
    } catch (error) {
      if (error instanceof OutOfTime || CountersignError.isInstance(error)) throw error;
      firstError ??= error;
      refused.push(tenantId);
    }
  }
  if (refused.length > 0) {
    const fields = { tenants: refused.length, first: refused[0], error: String(firstError) };
    logger.warn("The engine refused public events of some tenants; the relay tries again", fields);
  }
  return sent;
}

/** The publisher of each store. If a process has several instances on one store, the latest one publishes. */
const publishers = new WeakMap<Store, (tenantIds: readonly string[]) => void>();

/**
 * Sends events right after the commits of this process. Transitions do not wait for it, so a slow engine does not delay
 * them. The relay sends what it does not send.
 *
 * @param sending Holds what is under way.
 */
export function publishAfterCommits(
  inngest: Inngest.Any,
  store: Store,
  logger: Logger,
  sending: Set<Promise<unknown>>,
): void {
  const isListening = publishers.has(store);
  publishers.set(store, createPublisher(inngest, store, logger, sending));
  if (!isListening) store.onTransitions((tenantIds) => publishers.get(store)?.(tenantIds));
}

function createPublisher(inngest: Inngest.Any, store: Store, logger: Logger, sending: Set<Promise<unknown>>) {
  const waiting = new Set<string>();
  let isBusy = false;
  const publishWaiting = async () => {
    isBusy = true;
    await pause(gatherMs);
    // If a tenant is added again during this loop, the loop reaches it again.
    for (const tenantId of waiting) {
      waiting.delete(tenantId);
      await publish(inngest, store, tenantId).catch((error: unknown) => {
        // The relay reports a failing database.
        if (CountersignError.isInstance(error)) return;
        logger.warn("Could not send public events; the relay will send them", { error: String(error) });
      });
    }
    isBusy = false;
  };
  return (tenantIds: readonly string[]) => {
    for (const tenantId of tenantIds) waiting.add(tenantId);
    if (isBusy) return;
    const published = publishWaiting().finally(() => sending.delete(published));
    sending.add(published);
  };
}
