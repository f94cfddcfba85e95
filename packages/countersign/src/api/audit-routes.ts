import type { Hono } from "hono";
import { z } from "zod";
import { maySee } from "../approval/who-decides.js";
import { auditEntryView } from "../audit/export-lines.js";
import { CountersignError } from "../errors.js";
import type { Principal } from "../principal.js";
import type { Store } from "../store/store.js";
import type { ApiEnv } from "./api-env.js";
import { parseOrRefuse } from "./problem.js";
import { text } from "./requests.js";

/** Opaque to clients: the last position of a page. */
const cursor = z
  .string()
  .regex(/^[\w-]{1,32}$/)
  .transform((given) => Number(Buffer.from(given, "base64url").toString()))
  .refine((position) => Number.isSafeInteger(position) && position > 0);

const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.optional(
    z.string().transform((given, context) => {
      const parsed = cursor.safeParse(given);
      if (parsed.success) return parsed.data;
      context.addIssue("is not a cursor of this API; start again without it");
      return z.NEVER;
    }),
  ),
});

const auditQuery = pageQuery.extend({ approvalId: text.min(1).optional() });
const exportQuery = z.object({ format: z.enum(["jsonl", "csv"]).default("jsonl") });

const contentTypes = {
  jsonl: "application/x-ndjson; charset=utf-8",
  csv: "text/csv; charset=utf-8; header=present",
};

/** `GET /audit`, `/audit/verify`, `/audit/export` and `/approvals/:id/audit`, always of the caller's own tenant. */
export function addAuditRoutes(api: Hono<ApiEnv>, store: Store, auditRoles: readonly string[]): void {
  const isAuditor = ({ roles }: Principal) => roles.some((role) => auditRoles.includes(role));
  const needsAuditor = (principal: Principal) => {
    if (isAuditor(principal)) return;
    throw new CountersignError("auditors_only", `You need one of these roles: ${auditRoles.join(", ")}`);
  };

  const page = async (principal: Principal, query: z.output<typeof auditQuery>) => {
    const entries = await store.listAudit({
      tenantId: principal.tenantId,
      approvalId: query.approvalId,
      principal: isAuditor(principal) ? undefined : principal,
      after: query.cursor,
      limit: query.limit + 1,
    });
    const items = entries.slice(0, query.limit);
    const last = items.at(-1);
    const more = entries.length > query.limit && last;
    const nextCursor = more ? Buffer.from(String(last.position)).toString("base64url") : null;
    return { items: items.map(auditEntryView), nextCursor };
  };

  api.get("/audit", async (c) =>
    c.json(await page(c.get("principal"), parseOrRefuse(auditQuery, c.req.query(), "query"))),
  );

  api.get("/approvals/:id/audit", async (c) => {
    const principal = c.get("principal");
    const query = parseOrRefuse(pageQuery, c.req.query(), "query");
    const approvalId = c.req.param("id");
    const approval = await store.getApproval(principal.tenantId, approvalId);
    if (!approval || !(isAuditor(principal) || maySee(approval, principal))) {
      throw new CountersignError("not_found", "There is no such approval, or you may not see it");
    }
    return c.json(await page(principal, { ...query, approvalId }));
  });

  api.get("/audit/verify", async (c) => {
    const principal = c.get("principal");
    needsAuditor(principal);
    return c.json(await store.verifyAudit(principal.tenantId));
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

/** Lines as a body that is read as fast as the client takes it. */
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
