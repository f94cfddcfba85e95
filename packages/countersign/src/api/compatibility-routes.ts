import type { Hono } from "hono";
import { shown } from "../approval/shown.js";
import { CountersignError } from "../errors.js";
import type { ApiContext } from "./api-context.js";
import type { ApiEnv } from "./api-env.js";
import { serve } from "./serve.js";

/** Calls of one thread that are looked through for the one that is meant. */
const mostOfThread = 200;

/** The forms in which others ask: `GET /approvals/pending`, and `POST /approve-tool` of `@inngest/use-agent`. */
export function addCompatibilityRoutes(
  api: Hono<ApiEnv>,
  { store, countersign, view, seesEverything }: ApiContext,
): void {
  serve(api, "listPendingApprovals", async ({ query }, c) => {
    const principal = c.get("principal");
    const found = await store.listApprovals({
      tenantId: principal.tenantId,
      visibleTo: principal,
      statuses: ["pending"],
      limit: mostOfThread,
      ...(query.threadId ? { threadId: query.threadId } : {}),
    });
    return found.map((approval) => ({
      approvalId: approval.id,
      threadId: approval.threadId ?? "",
      eventIdToWaitFor: approval.requestId,
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
    const { toolCallId, threadId, action, reason = null } = body;
    const calls = await store.listApprovals({
      tenantId: principal.tenantId,
      visibleTo: principal,
      threadId,
      toolCallId,
      limit: 2,
    });
    const [approval] = calls;
    if (!approval) {
      throw new CountersignError("not_found", "There is no such call in this thread, or you may not see it");
    }
    if (calls.length > 1) {
      throw new CountersignError(
        "invalid_request",
        "toolCallId: several calls of this thread have this id. Decide by the approval's id instead",
        { detail: { errors: [{ field: "toolCallId", message: "is not unique in this thread" }] } },
      );
    }
    const decided = await countersign.decide({
      approvalId: approval.id,
      principal,
      type: action,
      digest: approval.digest,
      reason,
    });
    return view(decided, principal);
  });
}
