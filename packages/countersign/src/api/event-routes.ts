import type { Hono } from "hono";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import { z } from "zod";
import { maySee } from "../approval/who-decides.js";
import { CountersignError } from "../errors.js";
import type { Principal } from "../principal.js";
import type { Change, Store } from "../store/store.js";
import type { ApiEnv } from "./api-env.js";
import { parseOrRefuse } from "./problem.js";

/** Streams that one principal may have open in this process. */
const mostStreams = 20;
/** Entries that are read at once. */
const pageSize = 200;

const position = z.coerce.number().int().min(0);
const eventsQuery = z.object({ after: position.optional() });

/** What `GET /events` needs from its host. */
export interface EventRoutesOptions {
  store: Store;
  /** Who sends this request now; asked again while a stream is open. */
  authenticate: (request: Request) => Principal | null | Promise<Principal | null>;
  /** Milliseconds between two signs of life. */
  heartbeatMs: number;
}

/**
 * `GET /events`: server-sent events about what the reader may see, in every process that shares the database. The id of
 * an event is a position in the tenant's audit log, so that a client which comes back with `Last-Event-ID` misses nothing.
 */
export function addEventRoutes(
  api: Hono<ApiEnv>,
  { store, authenticate, heartbeatMs }: EventRoutesOptions,
): void {
  const open = new Map<string, number>();

  api.get("/events", async (c) => {
    const principal = c.get("principal");
    const { tenantId } = principal;
    const query = parseOrRefuse(eventsQuery, c.req.query(), "query");
    const resumed = position.safeParse(c.req.header("last-event-id") || undefined);
    const start = resumed.success ? resumed.data : (query.after ?? (await store.auditPosition(tenantId)));
    if (c.req.method === "HEAD") return c.body(null, 200, { "content-type": "text/event-stream" });
    const key = JSON.stringify([tenantId, principal.id]);
    const streams = open.get(key) ?? 0;
    if (streams >= mostStreams) {
      throw new CountersignError(
        "too_many_requests",
        `You have ${mostStreams} streams open already; close one, or use one for several views`,
      );
    }
    open.set(key, streams + 1);
    const left = () => {
      const count = (open.get(key) ?? 1) - 1;
      if (count > 0) open.set(key, count);
      else open.delete(key);
    };
    // Proxies that collect a response before they pass it on would hold every event back.
    c.header("x-accel-buffering", "no");
    return streamSSE(
      c,
      async (stream) => {
        try {
          await follow(stream, { store, principal, after: start, heartbeatMs, signedInNow });
        } finally {
          left();
        }
      },
      async () => {
        console.error("Countersign: a stream of events ended early; its reader comes back by itself");
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
  principal: Principal;
  after: number;
  heartbeatMs: number;
  /** The reader as the host knows them now, perhaps with other roles; undefined where they are not signed in any more. */
  signedInNow(): Promise<Principal | undefined>;
}

async function follow(
  stream: SSEStreamingApi,
  { store, principal, after, heartbeatMs, signedInNow }: Followed,
): Promise<void> {
  const inbox = createInbox();
  stream.onAbort(inbox.wake);
  const unsubscribe = await store.subscribe(principal.tenantId, inbox.add);
  try {
    const serverTime = (await store.now()).toISOString();
    await stream.writeSSE({ event: "hello", data: JSON.stringify({ serverTime }) });
    let told = after;
    let reader: Principal | undefined = principal;
    let askAgainAt = performance.now() + heartbeatMs;
    while (!stream.aborted && !stream.closed) {
      told = await tellOfLog(stream, store, reader, told);
      for (const approvalId of inbox.takeViewed()) await tellOfViewing(stream, store, reader, approvalId);
      await inbox.waited(askAgainAt - performance.now());
      // However much changes: who has signed out, or lost a role, hears of it no longer.
      if (performance.now() < askAgainAt) continue;
      if (stream.aborted) return;
      reader = await signedInNow();
      if (!reader) return;
      await stream.write(": still here\n\n");
      askAgainAt = performance.now() + heartbeatMs;
    }
  } finally {
    await unsubscribe();
  }
}

/** Tells of every entry after a position that the reader may see; returns how far the log has been read. */
async function tellOfLog(
  stream: SSEStreamingApi,
  store: Store,
  principal: Principal,
  after: number,
): Promise<number> {
  const head = await store.auditPosition(principal.tenantId);
  let told = after;
  while (told < head && !stream.aborted) {
    const entries = await store.listAudit({
      tenantId: principal.tenantId,
      principal,
      after: told,
      limit: pageSize,
    });
    for (const { position: id, type, approvalId, at } of entries) {
      await stream.writeSSE({
        event: "change",
        id: String(id),
        data: JSON.stringify({ position: id, type, approvalId, at: at.toISOString() }),
      });
    }
    told =
      entries.length < pageSize
        ? Math.max(head, entries.at(-1)?.position ?? 0)
        : (entries.at(-1)?.position ?? head);
  }
  return told;
}

async function tellOfViewing(
  stream: SSEStreamingApi,
  store: Store,
  principal: Principal,
  approvalId: string,
): Promise<void> {
  const approval = await store.getApproval(principal.tenantId, approvalId);
  if (!approval || !maySee(approval, principal)) return;
  await stream.writeSSE({ event: "viewing", data: JSON.stringify({ approvalId }) });
}

/** Collects changes while the stream is busy, and waits for the next one. */
function createInbox() {
  const viewed = new Set<string>();
  let changed = false;
  let wakeUp: (() => void) | undefined;
  return {
    add(change: Change): void {
      if (change.kind === "viewing") viewed.add(change.approvalId);
      changed = true;
      wakeUp?.();
    },
    /** Also ends a wait that has not begun: a reader may leave while the log is being read. */
    wake(): void {
      changed = true;
      wakeUp?.();
    },
    takeViewed(): string[] {
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
