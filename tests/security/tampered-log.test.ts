import type { Principal } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiFor } from "../support/attack.js";
import { runSql } from "../support/audit-log.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

// tests/audit/tampering.test.ts tests every column and row, tests/core/append-only.test.ts every statement.

const auditor: Principal = { id: "olga", tenantId: "acme", roles: ["auditor"] };

describe("the audit log of a whole run", () => {
  let world: Awaited<ReturnType<typeof openWaitingRefund>>;
  let attack: ReturnType<typeof apiFor>["attack"];
  beforeAll(async () => {
    world = await openWaitingRefund();
    attack = apiFor(world.harness.countersign).attack;
    await world.harness.decide(world.approval, "approve");
    await world.harness.ended(world.runId);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  const verify = async () => (await attack(auditor, { path: "/audit/verify" })).body;

  it.each([
    "update countersign.audit_entries set actor_id = 'eve'",
    "delete from countersign.audit_entries",
    "truncate countersign.audit_entries",
    "update countersign.audit_heads set position = position - 1",
    "delete from countersign.audit_heads",
  ])("is protected from the tables' owner: %s", async (statement) => {
    const { database } = world;
    if (database.kind !== "postgres") throw new Error("unreachable");
    const asOwner = database.postgres.begin(async (tx) => {
      await tx`select set_config('countersign.all_tenants', 'on', true)`;
      await tx.unsafe(statement);
    });
    await expect(asOwner).rejects.toThrow(/audit/);
    expect(await verify()).toMatchObject({ ok: true });
  });

  it("reports to auditors the first entry that a superuser changed", async () => {
    expect(await verify()).toMatchObject({ ok: true });
    const [entry] = await runSql(
      world.database,
      "select position from countersign.audit_entries where type = 'approval.approved'",
    );
    for (const statement of [
      "alter table countersign.audit_entries disable trigger user",
      `update countersign.audit_entries set actor_id = 'eve' where position = ${entry?.position}`,
      "alter table countersign.audit_entries enable trigger user",
    ]) {
      await runSql(world.database, statement);
    }
    expect(await verify()).toMatchObject({ ok: false, position: Number(entry?.position) });
  });

  it("is verified and exported for auditors only", async () => {
    for (const path of ["/audit/verify", "/audit/export"]) {
      const answer = await attack({ ...auditor, roles: ["finance"] }, { path });
      expect(answer).toMatchObject({ status: 403, body: { code: "auditors_only" } });
    }
  });
});
