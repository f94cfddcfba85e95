import { requestHumanInputName } from "@countersign/policy/internal/policy/rules/question-rule";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Context, Hono } from "hono";
import * as z from "zod";
import type { Approval } from "../../approval/approval.js";
import { callHistory } from "../../approval/call-history.js";
import { earlierCall, type SameCall } from "../../approval/earlier-call.js";
import { shown } from "../../approval/visible-arguments.js";
import type { ApprovalOrder } from "../../store/ports/reading-port.js";
import type { ApiContext } from "../api-context.js";
import type { ApiEnv } from "../api-env.js";
import { type Input, serve } from "../serve.js";

/** Maximum number of calls returned for one request. Agents propose far fewer. */
const maxCallsPerRequest = 1000;
/** Maximum number of conversation messages returned with an approval. */
const maxMessages = 6;

/** Maximum number of calls like one that are counted and compared. */
const maxSimilar = 100;

const orders = {
  created: { by: "createdAt", latestFirst: false },
  "-created": { by: "createdAt", latestFirst: true },
  expires: { by: "expiresAt", latestFirst: false },
  "-decided": { by: "decidedAt", latestFirst: true },
} as const satisfies Record<string, ApprovalOrder>;

/** Routes for approvals, counts, requests and questions. */
export function addApprovalRoutes(api: Hono<ApiEnv>, context: ApiContext): void {
  const { countersign, store, view } = context;
  /** Who may see a call with its history may ask for the calls before it. */
  const before = async (c: Context<ApiEnv>, id: string | undefined) =>
    id === undefined ? {} : { before: await context.read(c, id, { auditorsToo: true }) };

  serve(api, "listApprovals", async ({ query }, c) => {
    const principal = c.get("principal");
    const order = orders[query.sort];
    const found = await store.listApprovals({
      ...filterOf(query, principal),
      ...(await before(c, query.before)),
      order,
      limit: query.limit + 1,
      ...context.after(query.cursor),
    });
    return context.page(
      found,
      query.limit,
      (approval) => timeOf(approval, order.by),
      query.fields === "row"
        ? (approval) => view(approval, principal, { omitValues: true })
        : context.listView(principal),
    );
  });

  serve(api, "listFacets", async ({ query }, c) => {
    const principal = c.get("principal");
    const list = { name: query.list, of: principal };
    const filter = { ...filterOf(query, principal), ...(await before(c, query.before)), list };
    return { ...(await store.listFacets(filter)), serverTime: await context.serverTime() };
  });

  serve(api, "countApprovals", async ({ query }, c) => {
    const principal = c.get("principal");
    const counts = await store.countApprovals({
      tenantId: principal.tenantId,
      visibleTo: principal,
      ...(query.decidedAfter ? { decidedAfter: query.decidedAfter } : {}),
    });
    return {
      ...counts,
      nextReturn: counts.nextReturn?.toISOString() ?? null,
      serverTime: await context.serverTime(),
    };
  });

  serve(api, "getApproval", async ({ params }, c) => {
    const principal = c.get("principal");
    const approval = await context.read(c, params.id, { auditorsToo: true });
    const seesEverything = context.seesEverything(principal);
    const similar = await store.similarCalls(approval, principal, maxSimilar + 1);
    const isMore = similar.length > maxSimilar;
    return {
      ...view(approval, principal),
      history: callHistory(approval, similar.slice(0, maxSimilar), { more: isMore, seesEverything }),
      context: {
        modelText: await countersign.threads.readModelText(approval, {
          seesEverything,
        }),
        messages: await countersign.threads.readBefore(approval, principal, {
          seesEverything: context.seesEverything(principal),
          limit: maxMessages,
        }),
      },
      earlier: earlierView(
        earlierCall(
          approval,
          await store.sameCalls(approval, context.isAuditor(principal) ? null : principal),
          seesEverything,
        ),
      ),
      serverTime: await context.serverTime(),
    };
  });

  serve(api, "getRequest", async ({ params }, c) => {
    const principal = c.get("principal");
    const found = await store.listApprovals({
      tenantId: principal.tenantId,
      visibleTo: principal,
      requestId: params.id,
      limit: maxCallsPerRequest,
    });
    const items = found.sort((a, b) => a.position - b.position);
    if (items.length === 0) {
      throw new CountersignError("not_found", "The request does not exist, or you may not see it");
    }
    return {
      id: params.id,
      items: items.map(context.listView(principal)),
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
      ...context.after(query.cursor),
    });
    return context.page(
      found,
      query.limit,
      (approval) => timeOf(approval, "expiresAt"),
      (approval) => ({ ...view(approval, principal), question: questionOf(context, approval, principal) }),
    );
  });
}

type Filters = Omit<Input<"listApprovals">["query"], "fields" | "sort" | "limit" | "cursor" | "before">;

/** The calls that a reader may see and wants. */
function filterOf(query: Filters, reader: Principal) {
  const { status, threadId, tool, requester, risk, endsWithin, outcome, decidedWithin, list } = query;
  const { decidedAfter, decidedBefore, decidedBy, assignee, mine, q } = query;
  return {
    tenantId: reader.tenantId,
    visibleTo: reader,
    ...(status ? { statuses: status } : {}),
    ...(threadId ? { threadId } : {}),
    ...(tool ? { toolName: tool } : {}),
    ...(requester ? { requesterId: requester } : {}),
    ...(risk ? { risks: risk } : {}),
    ...(endsWithin === undefined ? {} : { endsWithinMs: endsWithin }),
    ...(outcome ? { outcome } : {}),
    ...(decidedWithin === undefined ? {} : { decidedWithinMs: decidedWithin }),
    ...(decidedAfter ? { decidedAfter } : {}),
    ...(decidedBefore ? { decidedBefore } : {}),
    ...(decidedBy === "me" ? { decidedBy: reader.id } : {}),
    ...(list ? { list: { name: list, of: reader } } : {}),
    ...(assignee ? { assigneeId: assignee === "me" ? reader.id : assignee } : {}),
    ...(mine === "asked" ? { requesterId: reader.id } : {}),
    ...(mine === "decidable" ? { decidableBy: reader } : {}),
    ...(q ? { text: q } : {}),
  };
}

function earlierView(earlier: SameCall | undefined) {
  if (!earlier) return null;
  const { approvalId, status, finishedAt, decidedBy } = earlier;
  return { approvalId, status, finishedAt: finishedAt?.toISOString() ?? null, decidedBy };
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
