import { createCountersign, type Principal } from "countersign";
import { approvalsApi } from "countersign/hono";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore, smallLog, wholeLog } from "../support/audit-log.js";
import { freshPostgres } from "../support/databases.js";
import { defaultPolicy } from "../support/harness.js";
import { proposeCall } from "../support/proposals.js";
import { recordingInngest } from "../support/recording-inngest.js";

const people: Record<string, Principal> = {
  auditor: { id: "auditor", tenantId: "acme", roles: ["auditor"] },
  admin: { id: "admin", tenantId: "acme", roles: ["admin"] },
  finance: { id: "finance", tenantId: "acme", roles: ["finance"] },
  visitor: { id: "visitor", tenantId: "acme", roles: [] },
  controller: { id: "controller", tenantId: "acme", roles: ["controller"] },
  foreign: { id: "foreign", tenantId: "bolt", roles: ["auditor"] },
  other: { id: "other", tenantId: "crane", roles: ["auditor"] },
};

interface Page {
  items: { position: number; approvalId: string | null; hash: string }[];
  nextCursor: string | null;
}

describe("the audit routes", () => {
  let database: Awaited<ReturnType<typeof freshPostgres>>;
  let store: Awaited<ReturnType<typeof openStore>>;
  let api: ReturnType<typeof approvalsApi>;
  let forFinance: string;
  let forLead: string;

  beforeAll(async () => {
    database = await freshPostgres(5);
    store = await openStore(database);
    const { inngest } = recordingInngest();
    const countersign = createCountersign({ inngest, store, policy: defaultPolicy, tenantId: "acme" });
    const authenticate = (request: Request) => people[request.headers.get("authorization") ?? ""] ?? null;
    api = approvalsApi(countersign, { authenticate });
    await smallLog(store, "bolt");
    const [finance] = await proposeCall(store, { approvers: { roles: ["finance"], ids: [] } });
    const [lead] = await proposeCall(store, { approvers: { roles: ["lead"], ids: [] } });
    await store.recordNote({ tenantId: "acme", type: "call.refused", data: { toolName: "erase" } });
    forFinance = finance?.id ?? "";
    forLead = lead?.id ?? "";
  });
  afterAll(() => database[Symbol.asyncDispose]());

  const get = async (who: string, path: string) => {
    const response = await api.request(path, { headers: { authorization: who } });
    const text = await response.text();
    const json = /^application\/(problem\+)?json/.test(response.headers.get("content-type") ?? "");
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: json ? JSON.parse(text) : undefined,
    };
  };
  const positions = ({ body }: { body: Page }) => body.items.map(({ position }) => position);

  it("require a signed-in principal", async () => {
    for (const path of ["/audit", "/audit/verify", "/audit/export", `/approvals/${forFinance}/audit`]) {
      expect(await get("nobody", path)).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
    }
  });

  it("give auditors and admins all entries of their tenant, page by page", async () => {
    for (const who of ["auditor", "admin"]) {
      const all = await get(who, "/audit");
      expect(positions(all)).toEqual([1, 2, 3, 4, 5]);
      expect(all.body.nextCursor).toBeNull();
      const log = await wholeLog(store, "acme");
      expect(all.body.items).toEqual(log.map((entry) => ({ ...entry, at: entry.at.toISOString() })));
      const first = await get(who, "/audit?limit=3");
      expect(positions(first)).toEqual([1, 2, 3]);
      const second = await get(who, `/audit?limit=3&cursor=${first.body.nextCursor}`);
      expect(positions(second)).toEqual([4, 5]);
      expect(second.body.nextCursor).toBeNull();
      const one = await get(who, `/audit?approvalId=${forLead}`);
      expect(positions(one)).toEqual([3, 4]);
    }
    expect(positions(await get("foreign", "/audit"))).toEqual([1, 2, 3, 4, 5, 6]);
    expect((await get("foreign", `/audit?approvalId=${forLead}`)).body.items).toEqual([]);
  });

  it("give other people only entries about approvals that they may see", async () => {
    expect(positions(await get("finance", "/audit"))).toEqual([1, 2]);
    expect(positions(await get("visitor", "/audit"))).toEqual([]);
    expect((await get("finance", `/audit?approvalId=${forLead}`)).body.items).toEqual([]);
    expect(positions(await get("finance", `/approvals/${forFinance}/audit`))).toEqual([1, 2]);
    expect((await get("finance", `/approvals/${forLead}/audit`)).status).toBe(404);
    expect((await get("foreign", `/approvals/${forLead}/audit`)).status).toBe(404);
    expect((await get("auditor", "/approvals/apr_nothing/audit")).status).toBe(404);
    expect(positions(await get("auditor", `/approvals/${forLead}/audit`))).toEqual([3, 4]);
    const first = await get("auditor", `/approvals/${forLead}/audit?limit=1`);
    const next = await get("auditor", `/approvals/${forLead}/audit?cursor=${first.body.nextCursor}`);
    expect(positions(next)).toEqual([4]);
  });

  it.each(["/audit/verify", "/audit/export", "/audit/export?format=csv"])(
    "answer %s for auditors only",
    async (path) => {
      for (const who of ["finance", "visitor", "controller"]) {
        expect(await get(who, path)).toMatchObject({ status: 403, body: { code: "auditors_only" } });
      }
      expect((await get("auditor", path)).status).toBe(200);
    },
  );

  it("use the roles that the host names in auditRoles", async () => {
    const { inngest } = recordingInngest();
    const countersign = createCountersign({ inngest, store, policy: defaultPolicy, tenantId: "acme" });
    const own = approvalsApi(countersign, {
      authenticate: (request) => people[request.headers.get("authorization") ?? ""] ?? null,
      auditRoles: ["controller"],
    });
    const status = async (who: string) =>
      (await own.request("/audit/verify", { headers: { authorization: who } })).status;
    expect([await status("controller"), await status("auditor"), await status("admin")]).toEqual([
      200, 403, 403,
    ]);
  });

  it("verify the caller's own tenant", async () => {
    const log = await wholeLog(store, "acme");
    expect((await get("auditor", "/audit/verify")).body).toEqual({
      ok: true,
      entries: 5,
      head: { position: 5, hash: log.at(-1)?.hash },
      deleted: 0,
      sealed: [],
    });
    expect((await get("foreign", "/audit/verify")).body).toMatchObject({ ok: true, entries: 6 });
  });

  it("report the first entry that a superuser has changed", async () => {
    await smallLog(store, "crane");
    const at = "countersign.audit_entries";
    await database.admin.unsafe(`alter table ${at} disable trigger user`);
    await database.admin.unsafe(
      `update ${at} set actor_id = 'eve' where tenant_id = 'crane' and type = 'approval.approved'`,
    );
    await database.admin.unsafe(`alter table ${at} enable trigger user`);
    const { body } = await get("other", "/audit/verify");
    expect(body).toMatchObject({ ok: false, problem: "changed", position: 5 });
  });

  it("export the caller's own tenant as a file that must not be cached", async () => {
    for (const [format, type] of [
      ["jsonl", "application/x-ndjson"],
      ["csv", "text/csv"],
    ] as const) {
      const { headers, text } = await get("auditor", `/audit/export?format=${format}`);
      expect(headers.get("content-type")).toContain(type);
      expect(headers.get("content-disposition")).toBe(`attachment; filename="audit.${format}"`);
      expect(headers.get("cache-control")).toBe("no-store");
      let written = "";
      for await (const line of store.exportAudit("acme", { format })) written += line;
      expect(text).toBe(written);
      expect(text).not.toContain("bolt");
    }
  });

  it.each([
    ["/audit?limit=0", "limit"],
    ["/audit?limit=201", "limit"],
    ["/audit?cursor=!", "cursor"],
    [`/audit?cursor=${Buffer.from("1e9999").toString("base64url")}`, "cursor"],
    ["/audit?approvalId=%00", "approvalId"],
    ["/audit/export?format=xml", "format"],
  ])("refuse %s with 400 and name the field", async (path, field) => {
    const answer = await get("auditor", path);
    expect(answer).toMatchObject({ status: 400, body: { code: "invalid_request", errors: [{ field }] } });
  });
});
