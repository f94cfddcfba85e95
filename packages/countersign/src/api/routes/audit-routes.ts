import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { parseOrRefuse, refusedField } from "@countersign/policy/internal/shared/parse-or-refuse";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Hono } from "hono";
import * as z from "zod";
import { auditEntryView } from "../../audit/export-lines.js";
import type { ApiContext } from "../api-context.js";
import type { ApiEnv } from "../api-env.js";
import { serve } from "../serve.js";

const exportQuery = z.object({ format: z.enum(["jsonl", "csv"]).default("jsonl") });

const contentTypes = {
  jsonl: "application/x-ndjson; charset=utf-8",
  csv: "text/csv; charset=utf-8; header=present",
};

/** Routes for the audit log of the caller's tenant. */
export function addAuditRoutes(
  api: Hono<ApiEnv>,
  { store, isAuditor, read, auditRoles, serverTime, countersign }: ApiContext,
): void {
  const needsAuditor = (principal: Principal) => {
    if (isAuditor(principal)) return;
    throw new CountersignError("auditors_only", `You need one of these roles: ${auditRoles.join(", ")}`);
  };

  const page = async (
    principal: Principal,
    {
      limit,
      cursor,
      approvalId,
    }: { limit: number; cursor?: string | undefined; approvalId?: string | undefined },
  ) => {
    const entries = await store.listAudit({
      tenantId: principal.tenantId,
      approvalId,
      principal: isAuditor(principal) ? undefined : principal,
      after: cursor === undefined ? undefined : positionOf(cursor),
      limit: limit + 1,
    });
    const items = entries.slice(0, limit);
    const last = items.at(-1);
    const more = entries.length > limit && last;
    return {
      items: items.map(auditEntryView),
      nextCursor: more ? Buffer.from(String(last.position)).toString("base64url") : null,
      serverTime: await serverTime(),
    };
  };

  serve(api, "listAudit", ({ query }, c) => page(c.get("principal"), query));

  serve(api, "listApprovalAudit", async ({ params, query }, c) => {
    await read(c, params.id, { auditorsToo: true });
    return page(c.get("principal"), { ...query, approvalId: params.id });
  });

  serve(api, "verifyAudit", async (_, c) => {
    const principal = c.get("principal");
    needsAuditor(principal);
    const result = await countersign.verifyAudit(principal.tenantId);
    if (!result.ok) return result;
    const sealed = result.sealed.map((segment) => ({
      ...segment,
      sealedAt: segment.sealedAt.toISOString(),
    }));
    return { ...result, sealed };
  });

  api.get("/audit/export", async (c) => {
    const principal = c.get("principal");
    needsAuditor(principal);
    const { format } = parseOrRefuse(exportQuery, c.req.query(), "query");
    return c.body(streamOf(store.exportAudit(principal.tenantId, { format })), 200, {
      "content-type": contentTypes[format],
      "content-disposition": `attachment; filename="audit.${format}"`,
    });
  });
}

/** Decodes a cursor into the audit position after which the page starts. */
function positionOf(cursor: string): number {
  const position = /^[\w-]{1,32}$/.test(cursor) ? Number(Buffer.from(cursor, "base64url").toString()) : 0;
  if (Number.isSafeInteger(position) && position > 0) return position;
  throw refusedField("cursor", "is not a cursor of this API; request the first page without it");
}

/** Streams lines as fast as the client reads them. */
function streamOf(lines: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = lines[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
