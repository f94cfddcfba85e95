import { hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import type { Approval } from "countersign";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freshPostgres } from "../../support/databases.js";
import {
  approvedCall,
  executedCall,
  interruptedCall,
  openPast,
  type Past,
  personOf,
  signer,
} from "../../support/evidence/past.js";
import { auditHash } from "../../support/postgres/append-to-log.js";
import { createRole, retentionRole } from "../../support/postgres/documented-roles.js";
import { proposeCall } from "../../support/proposals.js";
import { stopCalls } from "../../support/stops.js";
import { postgresStore } from "../../support/store.js";

// The attacker has the documented roles of the application and of retention, but not the key. They have waited longer than the
// 30 days for which the audit log keeps every entry, and the proofs are still valid. Each test has a tenant of its own.

const dayMs = 86_400_000;
const waitedDays = 40;
/** So long that the evidence is valid for further weeks. */
const timeoutMs = 45 * dayMs;

let database: Awaited<ReturnType<typeof freshPostgres>>;
let past: Past;
let appUrl: string;
let app: postgres.Sql;
let retention: postgres.Sql;
let dispose: () => Promise<void>;

beforeAll(async () => {
  database = await freshPostgres();
  past = await openPast(database);
  const roles = [await createRole(database), await createRole(database, retentionRole)] as const;
  for (const role of roles) await role.giveRights();
  appUrl = roles[0].url;
  const connect = ({ url }: { url: string }) => postgres(url, { max: 1, onnotice: () => {} });
  [app, retention] = [connect(roles[0]), connect(roles[1])];
  await database.admin.unsafe(`
    create schema tricks;
    create function tricks.clock_timestamp() returns timestamptz language sql as
      $$ select pg_catalog.clock_timestamp() + interval '2 years' $$;
    create function tricks.to_char(timestamp, text) returns text language sql as $$ select '2999' $$;
    create function tricks.always(timestamptz, timestamptz) returns boolean language sql as $$ select true $$;
    create operator tricks.<= (leftarg = timestamptz, rightarg = timestamptz, function = tricks.always);
    create function tricks.never(timestamptz, timestamptz) returns boolean language sql as $$ select false $$;
    create operator tricks.> (leftarg = timestamptz, rightarg = timestamptz, function = tricks.never);
    grant usage on schema tricks to public`);
  dispose = async () => {
    await Promise.all([app.end(), retention.end(), past.store.close()]);
    for (const role of roles) await role[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  };
});
afterAll(() => dispose());

/** Runs statements in one transaction; returns whether they succeeded. */
async function attempt(role: postgres.Sql, statements: readonly string[], searchPath = "pg_catalog") {
  try {
    await role.begin(async (tx) => {
      await tx`select set_config('countersign.all_tenants', 'on', true), set_config('search_path', ${searchPath}, true)`;
      for (const statement of statements) await tx.unsafe(statement);
    });
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: "42501" });
    return false;
  }
}

const logOf = (tenantId: string) => database.admin`
  select position::int, hash, type from countersign.audit_entries where tenant_id = ${tenantId} order by position`;

/** The hash before the first segment. */
const nothing = "0".repeat(64);

/** Tries to remove the beginning, the middle and the end of a log, with and without sealing it. */
async function removeLog(tenantId: string): Promise<void> {
  const its = `delete from countersign.audit_entries where tenant_id = '${tenantId}'`;
  const searchPaths = ["pg_catalog", "tricks, pg_catalog"];
  for (const end of (await logOf(tenantId)).reverse()) {
    const content = {
      ...{ tenantId, firstPosition: 1, lastPosition: end.position },
      ...{ headHash: end.hash, previousHash: nothing },
    };
    const seal = (hash: string) =>
      `insert into countersign.audit_segments values ('${tenantId}', 1, ${end.position}, '${end.hash}', '${nothing}', '${hash}', now())`;
    for (const path of searchPaths) {
      await attempt(retention, [seal(hashCanonical(content))], path);
      await attempt(retention, [seal(nothing)], path);
      await attempt(retention, [`${its} and position <= ${end.position}`], path);
      await attempt(
        retention,
        [
          `select set_config('countersign.all_tenants', 'off', true), set_config('countersign.tenant', '${tenantId}', true)`,
          `${its} and position = ${end.position} returning set_config('countersign.tenant', 'other', true)`,
        ],
        path,
      );
    }
  }
}

/** Appends an entry to the log, with the right hashes. */
async function appendEntry(
  { tenantId, id: approvalId }: Approval,
  type: string,
  data: Record<string, unknown>,
  at = new Date(),
  actorId: string | null = "ada",
): Promise<boolean> {
  const last = (await logOf(tenantId)).at(-1);
  const content = { tenantId, position: Number(last?.position) + 1, approvalId, type, actorId, at, data };
  const hash = auditHash({ ...content, prevHash: String(last?.hash) });
  return attempt(app, [
    `insert into countersign.audit_entries values ('${tenantId}', ${content.position}, '${approvalId}', '${type}', '${actorId}', '${at.toISOString()}', '${JSON.stringify(data)}', '${last?.hash}', '${hash}')`,
    `update countersign.audit_heads set position = ${content.position}, hash = '${hash}' where tenant_id = '${tenantId}'`,
  ]);
}

/** Makes a call look as if it had just been approved. */
async function resetRows({ id, requestId }: Approval, decidedAt: string): Promise<void> {
  const reset = await attempt(app, [
    `update countersign.approvals set status = 'approved', decided_at = ${decidedAt}, expires_at = now() + interval '1 day',
       started_at = null, finished_at = null, handler_kind = null, withdrawal_cause = null, outcome_json = null,
       outcome_token = null where id = '${id}'`,
    `update countersign.evidence set consumed_at = null where approval_id = '${id}'`,
    `update countersign.requests set settled_at = now() where id = '${requestId}'`,
  ]);
  expect(reset).toBe(true);
}

const claim = ({ id }: Approval) => past.store.claim(id, "once", () => undefined, signer);

describe("an approval that is over", () => {
  const ways: [string, (tenantId: string) => Promise<Approval>][] = [
    ["was used", (tenantId) => executedCall(past.store, { tenantId, timeoutMs })],
    ["was interrupted", (tenantId) => interruptedCall(past.store, { tenantId, timeoutMs })],
    [
      "was withdrawn with its run",
      async (tenantId) => {
        const call = await approvedCall(past.store, { tenantId, timeoutMs });
        await past.store.withdrawRun(call.runId ?? "", "run_cancelled");
        return call;
      },
    ],
    [
      "was stopped",
      async (tenantId) => {
        const call = await approvedCall(past.store, { tenantId, timeoutMs });
        const stop = await stopCalls(past.store, "*", tenantId);
        expect(await claim(call)).toMatchObject({ outcome: "refused" });
        await past.store.releaseStop({ id: stop.id, tenantId, reason: "Over", by: personOf(tenantId) });
        return call;
      },
    ],
    [
      "was not used in time",
      (tenantId) =>
        approvedCall(past.store, {
          ...{ tenantId, timeoutMs: 20 * dayMs, toolVersion: "external-call" },
        }),
    ],
  ];

  it.each(
    ways.flatMap(([way, over]) =>
      ["decided_at", "now()", "decided_at + interval '28 days'"].map((time) => ({ way, over, time })),
    ),
  )(
    "does not start after a long wait when it $way and decided_at is set to $time",
    async ({ way, over, time }) => {
      const tenantId = `${way} ${time.replace(/\W+/g, " ")}`;
      const call = await past.daysAgo(waitedDays, () => over(tenantId));
      const before = await logOf(tenantId);
      await removeLog(tenantId);
      // Entries before the decision prove nothing, and may be gone.
      const kept = await logOf(tenantId);
      expect(kept).toEqual(before.slice(before.length - kept.length));
      expect(kept.some(({ type }) => type === "approval.approved")).toBe(true);
      await resetRows(call, time);
      if (way !== "was not used in time" || time !== "decided_at") {
        expect(await past.store.verifyAudit(tenantId)).toMatchObject({ ok: false });
      }
      const [row] = await database.admin`select id from countersign.evidence where approval_id = ${call.id}`;
      for (const type of ["approval.announced", "approval.approved"]) {
        expect(await appendEntry(call, type, { evidenceId: row?.id })).toBe(true);
      }
      expect((await claim(call)).outcome).toBe("refused");
      expect(await past.store.getApproval(tenantId, call.id)).not.toMatchObject({ status: "executing" });
    },
  );

  it("does not start late when its process's role has a search_path with another clock", async () => {
    const tenantId = "another clock";
    const call = await past.daysAgo(waitedDays, () =>
      approvedCall(past.store, {
        ...{ tenantId, timeoutMs: 20 * dayMs, toolVersion: "external-call" },
      }),
    );
    await database.admin.unsafe(`
      create schema earlier;
      create function earlier.clock_timestamp() returns timestamptz language sql as
        $$ select pg_catalog.clock_timestamp() - interval '30 days' $$;
      grant usage on schema earlier to public`);
    const [role] = await app`select current_user as name`;
    await app.unsafe(`alter role ${role?.name} set search_path = earlier, pg_catalog`);
    const store = postgresStore({ url: appUrl, max: 1 });
    expect(await store.claim(call.id, "once", () => undefined, signer)).toMatchObject({
      ...{ outcome: "refused", approval: { status: "expired" } },
    });
    await store.close();
    await app.unsafe(`alter role ${role?.name} reset search_path`);
  });

  it("starts after the same wait when it was not used and nothing was changed", async () => {
    const call = await past.daysAgo(waitedDays, () =>
      approvedCall(past.store, { tenantId: "control", timeoutMs }),
    );
    expect(await claim(call)).toMatchObject({ outcome: "claimed" });
  });
});

describe("a grant that is over", () => {
  const terms: Approval["terms"]["grantable"] = ["team"];
  const nextCall = (tenantId: string) =>
    proposeCall(past.store, { tenantId, signer, announce: false, terms: { grantable: terms } });

  async function granted(
    tenantId: string,
    uses: number | null,
  ): Promise<{ call: Approval; grantId: string }> {
    const [call] = await proposeCall(past.store, { tenantId, terms: { grantable: terms } });
    if (!call) throw new Error("unreachable");
    const grant = { scope: "team" as const, inputHash: null, condition: null, authorSeesAll: false };
    await past.store.decide(
      {
        ...{
          approvalId: call.id,
          principal: personOf(tenantId),
          type: "approve",
          digest: call.digest,
          reason: null,
        },
        grant: { ...grant, lifetimeMs: 80 * dayMs, uses, budget: null },
      },
      signer,
    );
    const [given] = await past.store.listGrants({ tenantId, limit: 1 });
    return { call, grantId: given?.id ?? "" };
  }

  it.each<[string, number | null, (tenantId: string, grantId: string) => Promise<unknown>]>([
    ["was revoked", null, (tenantId, id) => past.store.revokeGrant(personOf(tenantId), id)],
    ["was used up", 1, (tenantId) => nextCall(tenantId)],
  ])("approves no call after a long wait when it %s", async (way, uses, end) => {
    const tenantId = `grant ${way}`;
    const { call, grantId } = await past.daysAgo(waitedDays, async () => {
      const given = await granted(tenantId, uses);
      await end(tenantId, given.grantId);
      return given;
    });
    const [kept] = await database.admin`select * from countersign.grants where id = ${grantId}`;
    // Without their rows, nothing but the log itself can keep its entries.
    const its = `where tenant_id = '${tenantId}'`;
    expect(await attempt(app, [`delete from countersign.outbox ${its}`])).toBe(true);
    const tables = ["grants", "deliveries", "evidence", "approvals", "requests"];
    expect(
      await attempt(
        retention,
        tables.map((table) => `delete from countersign.${table} ${its}`),
      ),
    ).toBe(true);
    await removeLog(tenantId);
    const revived = { ...kept, revoked_at: null, revoked_by: null, uses_left: uses };
    await database.admin`insert into countersign.grants ${database.admin(revived)}`;
    await appendEntry(call, "grant.created", { grantId });
    expect(await nextCall(tenantId)).toMatchObject([{ status: "proposed", grantId: null }]);
  });

  it("approves a call after the same wait when it is live", async () => {
    const { grantId } = await past.daysAgo(waitedDays, () => granted("live grant", null));
    expect(await nextCall("live grant")).toMatchObject([{ status: "approved", grantId }]);
  });
});

it("a vote that its voter has changed does not count after a long wait", async () => {
  const tenantId = "votes";
  const voter = personOf(tenantId);
  const { call, token } = await past.daysAgo(waitedDays, async () => {
    const terms = { quorum: 2, denials: 2 };
    const [asked] = await proposeCall(past.store, { tenantId, timeoutMs, terms });
    if (!asked) throw new Error("unreachable");
    const cast = (type: "approve" | "deny") =>
      past.store.decide(
        { approvalId: asked.id, principal: voter, type, digest: asked.digest, reason: null },
        signer,
      );
    await cast("approve");
    const [vote] = await database.admin`select token from countersign.votes where approval_id = ${asked.id}`;
    await cast("deny");
    return { call: asked, token: String(vote?.token) };
  });
  await removeLog(tenantId);
  await attempt(app, [
    `update countersign.votes set type = 'approve', token = '${token}' where approval_id = '${call.id}'`,
  ]);
  const { id: voteId } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
  for (const [type, data] of [
    ["approval.announced", {}],
    ["approval.voted", { voteId, type: "approve" }],
  ] as const) {
    await appendEntry(call, type, data);
  }
  const second = await past.store.decide(
    ...([
      {
        ...{ approvalId: call.id, principal: personOf(tenantId, "bo"), type: "approve" },
        ...{ digest: call.digest, reason: null },
      },
      signer,
    ] as Parameters<Past["store"]["decide"]>),
  );
  const current = await past.store.getApproval(tenantId, call.id);
  if (second.outcome === "decided") expect((await claim(call)).outcome).toBe("refused");
  else expect(current?.status).toBe("pending");
});

it("no documented role writes another time than now into the log", async () => {
  const call = await past.daysAgo(waitedDays, () =>
    approvedCall(past.store, { tenantId: "times", timeoutMs }),
  );
  for (const days of [-60, 60]) {
    const at = new Date(Date.now() + days * dayMs);
    expect(await appendEntry(call, "approval.approved", {}, at)).toBe(false);
  }
  expect(await appendEntry(call, "call.refused", {})).toBe(true);
});

it("no documented role moves the head of a log beyond its entries, or to another hash", async () => {
  await past.daysAgo(waitedDays, () => approvedCall(past.store, { tenantId: "heads" }));
  for (const set of ["position = position + 1000", "position = position + 1, hash = repeat('0', 64)"]) {
    const move = `update countersign.audit_heads set ${set} where tenant_id = 'heads'`;
    expect(await attempt(app, [move])).toBe(false);
    expect(await attempt(retention, [move])).toBe(false);
  }
  expect(await attempt(app, ["insert into countersign.audit_heads values ('new', 5, repeat('0', 64))"])).toBe(
    false,
  );
  expect(await past.store.verifyAudit("heads")).toMatchObject({ ok: true });
});

it("every function of the schema sets its search_path", async () => {
  const functions = await database.admin`
    select proname, proconfig from pg_proc where pronamespace = 'countersign'::regnamespace`;
  expect(functions.length).toBeGreaterThan(5);
  for (const { proname, proconfig } of functions) {
    expect([proname, proconfig]).toEqual([proname, ["search_path=pg_catalog, pg_temp"]]);
  }
});
