import { checkedPrincipals } from "@countersign/policy/internal/shared/authenticate";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import { createMcpHandler, readRequestBody } from "@modelcontextprotocol/server";
import type { Countersign } from "countersign";
import { apiContext, requestLimits } from "countersign/internal";
import * as z from "zod";
import { buildServer } from "./build-server.js";
import { endUnread } from "./changes/bounded-stream.js";
import { createChangeBus } from "./changes/change-bus.js";
import { openNoticeStream } from "./changes/notice-stream.js";
import { followVisibleChanges, type VisibleChange } from "./changes/visible-changes.js";
import { claimsOf, withSession } from "./client-claims.js";
import { originRefused, problemResponse } from "./http-answers.js";
import { isKnownOrigin } from "./known-origin.js";
import type { McpServerOptions } from "./options.js";
import type { Reader } from "./reader.js";

/** Maximum size of a request: the largest arguments that Countersign accepts by default, and some overhead. */
const maxBodyBytes = 2 * 1024 * 1024;

const listening = z.object({ method: z.literal("subscriptions/listen") });

/** Answers requests of MCP clients. */
export function createServeMcp(countersign: Countersign, options: McpServerOptions) {
  const { authorization, heartbeatMs = 15_000 } = options;
  const authenticate = checkedPrincipals(countersign, options.authenticate);
  const { logger } = countersign;
  const context = apiContext(countersign, {
    fullViewRoles: options.fullViewRoles ?? [],
    auditRoles: [],
    stopRoles: [],
  });
  const limits = requestLimits(options.rateLimit);
  const open = limits.streams("MCP streams");
  const waiting = limits.streams("requests that wait");

  const signedIn = async (request: Request): Promise<Principal> => {
    const principal = await authenticate(request);
    if (!principal) throw new CountersignError("unauthenticated", "Send a valid token");
    return principal;
  };

  const readerOf = (principal: Principal, request: Request): Omit<Reader, "era"> => ({
    principal,
    countersign,
    context,
    claimed: claimsOf(request),
    inboxUrl: options.inboxUrl?.replace(/\/+$/, ""),
    mayRequest: principal.roles.some((role) => options.requestRoles?.includes(role)),
    profile: options.profile,
    confirmations: options.confirmations,
    enterWait: () => waiting.enter(principal),
    decisionWaitMs: options.decisionWaitMs ?? 25_000,
    heartbeatMs,
  });

  /** Reports changes until the returned function is called, or until the person is no longer signed in. */
  const follow = async (
    request: Request,
    principal: Principal,
    stream: { changed(change: VisibleChange): void; beat(): void; close(): void },
  ): Promise<() => void> => {
    const left = open.enter(principal);
    let current = principal;
    const stop = await followVisibleChanges(
      context.store,
      { reader: () => current, logger },
      stream.changed,
    ).catch((error: unknown) => {
      left();
      throw error;
    });
    const timer = setInterval(async () => {
      const now = await Promise.resolve(authenticate(request)).catch(() => null);
      if (now?.id !== principal.id || now.tenantId !== principal.tenantId) return stream.close();
      current = now;
      stream.beat();
    }, heartbeatMs);
    timer.unref();
    countersign.closing.addEventListener("abort", stream.close);
    if (countersign.closing.aborted) stream.close();
    return () => {
      clearInterval(timer);
      countersign.closing.removeEventListener("abort", stream.close);
      left();
      stop().catch(() => undefined);
    };
  };

  const notices = async (request: Request, principal: Principal): Promise<Response> => {
    if (!request.headers.get("accept")?.includes("text/event-stream")) {
      return new Response(null, { status: 405, headers: { allow: "POST" } });
    }
    let end = () => {};
    const stream = openNoticeStream(() => end());
    end = await follow(request, principal, { ...stream, close: stream.end });
    request.signal.addEventListener("abort", stream.end);
    if (request.signal.aborted) stream.end();
    return stream.response;
  };

  const calls = async (request: Request, principal: Principal): Promise<Response> => {
    const body = await bodyOf(request);
    const reader = readerOf(principal, request);
    let end = () => {};
    const bus = createChangeBus(() => end());
    const handler = createMcpHandler(({ era }) => buildServer({ ...reader, era }), {
      bus,
      keepAliveMs: heartbeatMs,
      onerror: () => {},
    });
    if (listening.safeParse(body).success) {
      end = await follow(request, principal, {
        changed: bus.changed,
        beat: () => {},
        close: () => void handler.close(),
      });
    }
    const response = await handler.fetch(request, { parsedBody: body }).catch((error: unknown) => {
      end();
      throw error;
    });
    if (bus.isIdle()) end();
    return withSession(body, endUnread(response));
  };

  return async (request: Request): Promise<Response> => {
    try {
      if (!isKnownOrigin(request, options.allowedOrigins ?? [])) return originRefused();
      const principal = await signedIn(request);
      await limits.count(principal);
      if (request.method === "POST") return await calls(request, principal);
      if (request.method === "GET") return await notices(request, principal);
      return new Response(null, { status: 405, headers: { allow: "GET, POST" } });
    } catch (error) {
      return problemResponse(error, { logger, authorization });
    }
  };
}

async function bodyOf(request: Request): Promise<unknown> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new CountersignError("unsupported_media_type", "Send JSON with the content type application/json");
  }
  const read = await readRequestBody(request, maxBodyBytes);
  if (read.tooLarge) {
    throw new CountersignError("too_large", `The body must not exceed ${maxBodyBytes} bytes`);
  }
  try {
    return JSON.parse(read.text);
  } catch {
    throw new CountersignError("invalid_request", "The body must be JSON");
  }
}
