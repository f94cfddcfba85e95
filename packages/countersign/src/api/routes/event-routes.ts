import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Logger } from "@countersign/policy/internal/shared/logger";
import { parseOrRefuse } from "@countersign/policy/internal/shared/parse-or-refuse";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Hono } from "hono";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import * as z from "zod";
import type { Approval } from "../../approval/approval.js";
import { maySee } from "../../approval/who-decides.js";
import type { Change } from "../../store/ports/audit-port.js";
import { stopCacheMs } from "../../store/stop/stop-cache.js";
import type { Store } from "../../store/store.js";
import type { ApiEnv } from "../api-env.js";
import type { ApprovalView } from "../contract/approval-schemas.js";
import type { EventData, EventName } from "../contract/event-schemas.js";
import { createTenantChanges, type FollowTenant, type TenantChanges } from "../tenant-changes.js";

/** Maximum number of open streams per principal in this process. */
const maxStreams = 20;
/** Audit entries read per query. */
const pageSize = 200;
/** A reader who is further behind, in entries, gets no rows: it is cheaper to load the lists again. */
const maxBehind = 200;

const position = z.coerce.number().int().min(0);
const eventsQuery = z.object({ after: position.optional(), rows: z.literal("true").optional() });

/** Dependencies of `GET /events`. */
export interface EventRoutesOptions {
  store: Store;
  /** The approval as this reader sees it in a list, without its values. */
  row: (approval: Approval, reader: Principal) => ApprovalView;
  logger: Logger;
  /** Authenticates the request. Called again at intervals while the stream is open. */
  authenticate: (request: Request) => Principal | null | Promise<Principal | null>;
  /** Milliseconds between heartbeats. */
  heartbeatMs: number;
  /** Ends all streams. */
  closing: AbortSignal;
}

/**
 * `GET /events`: server-sent events about approvals that the reader may see, from every process that shares the
 * database. An event's id is a position in the tenant's audit log, so a client that reconnects with `Last-Event-ID`
 * misses no change.
 */
export function addEventRoutes(
  api: Hono<ApiEnv>,
  { store, row, logger, authenticate, heartbeatMs, closing }: EventRoutesOptions,
): void {
  const open = new Map<string, number>();
  const followTenant = createTenantChanges(store);

  api.get("/events", async (c) => {
    const principal = c.get("principal");
    const { tenantId } = principal;
    const query = parseOrRefuse(eventsQuery, c.req.query(), "query");
    const resumed = position.safeParse(c.req.header("last-event-id") || undefined);
    const start = resumed.success ? resumed.data : (query.after ?? (await store.auditPosition(tenantId)));
    if (c.req.method === "HEAD") return c.body(null, 200, { "content-type": "text/event-stream" });
    const key = JSON.stringify([tenantId, principal.id]);
    const streams = open.get(key) ?? 0;
    if (streams >= maxStreams) {
      throw new CountersignError(
        "too_many_requests",
        `You already have ${maxStreams} open streams; close one, or share one between views`,
      );
    }
    open.set(key, streams + 1);
    const left = () => {
      const count = (open.get(key) ?? 1) - 1;
      if (count > 0) open.set(key, count);
      else open.delete(key);
    };
    // Disables response buffering in proxies such as nginx, which would delay every event.
    c.header("x-accel-buffering", "no");
    return streamSSE(
      c,
      async (stream) => {
        try {
          const rowOf = query.rows ? row : undefined;
          await follow(stream, {
            store,
            followTenant,
            principal,
            after: start,
            heartbeatMs,
            closing,
            signedInNow,
            rowOf,
          });
        } finally {
          left();
        }
      },
      async () => {
        logger.error("An event stream ended early; the client reconnects by itself");
      },
    );

    async function signedInNow(): Promise<Principal | undefined> {
      const now = await authenticate(c.req.raw);
      return now?.id === principal.id && now.tenantId === tenantId ? now : undefined;
    }
  });
}

interface Followed {
  store: Store;
  followTenant: FollowTenant;
  principal: Principal;
  after: number;
  heartbeatMs: number;
  closing: AbortSignal;
  /** @default events have no rows */
  rowOf: EventRoutesOptions["row"] | undefined;
  /** The reader with their current roles, or undefined if they are no longer signed in. */
  signedInNow(): Promise<Principal | undefined>;
}

async function follow(
  stream: SSEStreamingApi,
  { store, followTenant, principal, after, heartbeatMs, closing, signedInNow, rowOf }: Followed,
): Promise<void> {
  const inbox = createInbox();
  stream.onAbort(inbox.wake);
  closing.addEventListener("abort", inbox.wake);
  const changes = await followTenant(principal.tenantId, (change) => {
    if (change.kind === "thread") return;
    if (change.kind !== "stops") return inbox.add(change);
    // Delayed until every process has refreshed its stop cache: the client may read approvals from another process.
    setTimeout(inbox.add, stopCacheMs, change).unref();
  });
  try {
    const serverTime = (await store.now()).toISOString();
    await send(stream, "hello", { serverTime });
    let sentUpTo = after;
    let reader: Principal | undefined = principal;
    let askAgainAt = performance.now() + heartbeatMs;
    while (!stream.aborted && !stream.closed && !closing.aborted) {
      const head = await changes.position();
      const withRows = head - sentUpTo <= maxBehind ? rowOf : undefined;
      if (sentUpTo < head)
        sentUpTo = await sendLogEntries(stream, { changes, rowOf: withRows }, reader, {
          after: sentUpTo,
          head,
        });
      if (inbox.takeStops()) await send(stream, "stops", {});
      for (const approvalId of inbox.takeViewedIds()) await sendViewing(stream, changes, reader, approvalId);
      if (sentUpTo >= head) await inbox.waited(askAgainAt - performance.now());
      // Authenticates again even if changes arrive without pause, so that people who signed out or lost a role get no
      // more events.
      if (performance.now() < askAgainAt) continue;
      if (stream.aborted) return;
      reader = await signedInNow();
      if (!reader) return;
      await stream.write(": still here\n\n");
      askAgainAt = performance.now() + heartbeatMs;
    }
  } finally {
    closing.removeEventListener("abort", inbox.wake);
    await changes.unfollow();
  }
}

/** Sends the next entries after a position that the reader may see. Returns the position up to which the log was read. */
async function sendLogEntries(
  stream: SSEStreamingApi,
  { changes, rowOf }: { changes: TenantChanges; rowOf: Followed["rowOf"] },
  principal: Principal,
  { after, head }: { after: number; head: number },
): Promise<number> {
  const entries = await changes.entries({ principal, after, limit: pageSize });
  const latest = new Map(entries.map(({ approvalId, position: id }) => [approvalId, id]));
  for (const { position: id, type, approvalId, at } of entries) {
    if (stream.aborted) break;
    const isLatest = rowOf && approvalId !== null && latest.get(approvalId) === id;
    const approval = isLatest ? await changes.approval(approvalId) : undefined;
    const row = approval && rowOf && maySee(approval, principal) ? { row: rowOf(approval, principal) } : {};
    await send(
      stream,
      "change",
      { position: id, type, approvalId, at: at.toISOString(), ...row },
      String(id),
    );
  }
  const last = entries.at(-1)?.position;
  return entries.length < pageSize ? Math.max(head, last ?? 0) : (last ?? head);
}

async function sendViewing(
  stream: SSEStreamingApi,
  changes: TenantChanges,
  principal: Principal,
  approvalId: string,
): Promise<void> {
  const approval = await changes.approval(approvalId);
  if (!approval || !maySee(approval, principal)) return;
  await send(stream, "viewing", { approvalId });
}

/** Sends one event of the contract. */
async function send<Name extends EventName>(
  stream: SSEStreamingApi,
  event: Name,
  data: EventData<Name>,
  id?: string,
): Promise<void> {
  await stream.writeSSE({ event, data: JSON.stringify(data), ...(id === undefined ? {} : { id }) });
}

/** Collects changes while the stream is busy and waits for the next one. */
function createInbox() {
  const viewed = new Set<string>();
  let stops = false;
  let changed = false;
  let wakeUp: (() => void) | undefined;
  return {
    add(change: Change): void {
      if (change.kind === "viewing") viewed.add(change.approvalId);
      if (change.kind === "stops") stops = true;
      changed = true;
      wakeUp?.();
    },
    /** Also ends a wait that has not started yet: the client may disconnect while the log is being read. */
    wake(): void {
      changed = true;
      wakeUp?.();
    },
    /** Whether a stop was engaged or released since the last call. */
    takeStops(): boolean {
      const were = stops;
      stops = false;
      return were;
    },
    takeViewedIds(): string[] {
      const ids = [...viewed];
      viewed.clear();
      return ids;
    },
    /** Resolves once something has changed, or after `ms`. */
    async waited(ms: number): Promise<void> {
      if (!changed) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wakeUp = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        wakeUp = undefined;
      }
      changed = false;
    },
  };
}
