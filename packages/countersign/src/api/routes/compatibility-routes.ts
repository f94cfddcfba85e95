import type { Hono } from "hono";
import { shown } from "../../approval/visible-arguments.js";
import type { ApiContext } from "../api-context.js";
import type { ApiEnv } from "../api-env.js";
import { decideByCall } from "../decide-by-call.js";
import { serve } from "../serve.js";

/** Maximum number of pending calls returned for one thread. */
const maxCallsPerThread = 200;

/**
 * Routes in the formats of other clients: `GET /approvals/pending`, and `POST /approve-tool` of `@inngest/use-agent`.
 */
export function addCompatibilityRoutes(
  api: Hono<ApiEnv>,
  { store, countersign, view, seesEverything }: ApiContext,
  { approveWithoutDigest }: { approveWithoutDigest: boolean },
): void {
  serve(api, "listPendingApprovals", async ({ query }, c) => {
    const principal = c.get("principal");
    const found = await store.listApprovals({
      tenantId: principal.tenantId,
      visibleTo: principal,
      statuses: ["pending"],
      limit: maxCallsPerThread,
      ...(query.threadId ? { threadId: query.threadId } : {}),
    });
    return found.map((approval) => ({
      approvalId: approval.id,
      threadId: approval.threadId ?? "",
      eventIdToWaitFor: approval.awaitedEventId ?? approval.requestId,
      toolName: approval.toolName,
      toolInput: shown(approval, { sink: "inbox", seesEverything: seesEverything(principal) }).input,
      toolCallId: approval.toolCallId,
      status: "pending" as const,
      createdAt: approval.createdAt.toISOString(),
      ...(approval.expiresAt ? { expiresAt: approval.expiresAt.toISOString() } : {}),
    }));
  });

  serve(api, "approveTool", async ({ body }, c) => {
    const principal = c.get("principal");
    const decided = await decideByCall(countersign, principal, body, { approveWithoutDigest });
    return view(decided, principal);
  });
}
