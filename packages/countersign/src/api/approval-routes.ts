import type { Hono } from "hono";
import { z } from "zod";
import type { Approval } from "../approval/approval.js";
import { shown } from "../approval/shown.js";
import { isPlainObject } from "../approval/tool-input.js";
import { CountersignError } from "../errors.js";
import type { ThreadMessage } from "../history/threads.js";
import type { Principal } from "../principal.js";
import { requestHumanInputName } from "../questions/request-human-input.js";
import type { ApprovalOrder } from "../store/store.js";
import { type ApiContext, afterOf, pageOf } from "./api-context.js";
import type { ApiEnv } from "./api-env.js";
import { serve } from "./serve.js";

/** Calls of one response that are shown; an agent proposes far fewer. */
const mostOfRequest = 1000;
/** Messages of the conversation that are shown with a call. */
const mostMessages = 6;

const orders = {
  created: { by: "createdAt", latestFirst: false },
  "-created": { by: "createdAt", latestFirst: true },
  expires: { by: "expiresAt", latestFirst: false },
  "-decided": { by: "decidedAt", latestFirst: true },
} as const satisfies Record<string, ApprovalOrder>;

/** Lists, counts and single approvals, requests and questions. */
export function addApprovalRoutes(api: Hono<ApiEnv>, context: ApiContext): void {
  const { store, view } = context;

  serve(api, "listApprovals", async ({ query }, c) => {
    const principal = c.get("principal");
    const order = orders[query.sort];
    const found = await store.listApprovals({
      tenantId: principal.tenantId,
      visibleTo: principal,
      order,
      limit: query.limit + 1,
      ...(query.status ? { statuses: query.status } : {}),
      ...(query.threadId ? { threadId: query.threadId } : {}),
      ...(query.tool ? { toolName: query.tool } : {}),
      ...(query.risk ? { risk: query.risk } : {}),
      ...(query.assignee ? { assigneeId: query.assignee === "me" ? principal.id : query.assignee } : {}),
      ...(query.mine === "asked" ? { requesterId: principal.id } : {}),
      ...(query.mine === "decidable" ? { decidableBy: principal } : {}),
      ...(query.q ? { text: query.q } : {}),
      ...afterOf(query.cursor),
    });
    return pageOf(
      context,
      found,
      query.limit,
      (approval) => timeOf(approval, order.by),
      (approval) => view(approval, principal),
    );
  });

  serve(api, "countApprovals", async (_, c) => {
    const principal = c.get("principal");
    const counts = await store.countApprovals({ tenantId: principal.tenantId, visibleTo: principal });
    return { ...counts, serverTime: await context.serverTime() };
  });

  serve(api, "getApproval", async ({ params }, c) => {
    const principal = c.get("principal");
    const approval = await context.read(c, params.id, { auditorsToo: true });
    return {
      ...view(approval, principal),
      context: {
        agentSaid: await store.readSaid(principal.tenantId, approval.requestId),
        messages: await messagesBefore(context, approval, principal),
      },
      serverTime: await context.serverTime(),
    };
  });

  serve(api, "getRequest", async ({ params }, c) => {
    const principal = c.get("principal");
    const found = await store.listApprovals({
      tenantId: principal.tenantId,
      visibleTo: principal,
      requestId: params.id,
      limit: mostOfRequest,
    });
    const items = found.sort((a, b) => a.position - b.position);
    if (items.length === 0) {
      throw new CountersignError("not_found", "There is no such request, or you may not see it");
    }
    return {
      id: params.id,
      items: items.map((item) => view(item, principal)),
      serverTime: await context.serverTime(),
    };
  });

  serve(api, "listQuestions", async ({ query }, c) => {
    const principal = c.get("principal");
    const found = await store.listApprovals({
      tenantId: principal.tenantId,
      visibleTo: principal,
      statuses: ["pending"],
      toolName: requestHumanInputName,
      order: orders.expires,
      limit: query.limit + 1,
      ...afterOf(query.cursor),
    });
    return pageOf(
      context,
      found,
      query.limit,
      (approval) => timeOf(approval, "expiresAt"),
      (approval) => ({ ...view(approval, principal), question: questionOf(context, approval, principal) }),
    );
  });
}

function timeOf(approval: Approval, by: ApprovalOrder["by"]): Date {
  if (by === "expiresAt") return approval.expiresAt ?? approval.createdAt;
  return by === "decidedAt" ? (approval.decision?.decidedAt ?? approval.createdAt) : approval.createdAt;
}

const asked = z.object({
  message: z.string().catch(""),
  choices: z.array(z.string()).optional().catch(undefined),
  form: z.record(z.string(), z.unknown()).optional().catch(undefined),
});

function questionOf(context: ApiContext, approval: Approval, reader: Principal) {
  const seesEverything = context.seesEverything(reader);
  const { message, choices, form } = asked
    .catch({ message: "" })
    .parse(shown(approval, { sink: "inbox", seesEverything }).input);
  return { message, ...(choices ? { choices } : {}), ...(form ? { form } : {}) };
}

/** The end of the conversation before a call, as far as it is known and this reader may read it. */
async function messagesBefore(
  { countersign, seesEverything }: ApiContext,
  approval: Approval,
  reader: Principal,
): Promise<ThreadMessage[]> {
  if (approval.threadId === null) return [];
  try {
    const { messages } = await countersign.threads.read(approval.threadId, reader, {
      seesEverything: seesEverything(reader),
    });
    const own = messages.findIndex((message) => hasCall(message, approval.toolCallId));
    const before = own < 0 ? messages : messages.slice(0, own);
    return before.slice(-mostMessages);
  } catch (error) {
    if (CountersignError.isInstance(error) && error.code === "thread_not_found") return [];
    throw error;
  }
}

function hasCall(message: ThreadMessage, toolCallId: string): boolean {
  return (
    "toolCalls" in message && message.toolCalls.some((call) => isPlainObject(call) && call.id === toolCallId)
  );
}
