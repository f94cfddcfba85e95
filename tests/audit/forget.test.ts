import { type ForgetOptions, forget as forgetIn } from "@countersign/cli/operating";
import { definePolicy } from "countersign";
import { type Countersign, createCountersign } from "countersign/agent-kit";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runSql } from "../support/audit-log.js";
import { everyDatabase, type TestDatabase } from "../support/databases.js";
import {
  approvedCall,
  executedCall,
  interruptedCall,
  oneCall,
  openPast,
  personOf,
} from "../support/evidence/past.js";
import { recordingInngest } from "../support/recording-inngest.js";
import type { Store } from "../support/store.js";

/** What must be gone, which names the tenant of its test. */
const secretOf = (tenantId: string) => `the card 4111 1111 1111 1111 of eve in ${tenantId}`;

describe.each(everyDatabase)("forget on $name", ({ open }) => {
  let database: TestDatabase;
  let store: Store;
  let history: Countersign["history"];

  beforeAll(async () => {
    database = await open();
    store = (await openPast(database)).store;
    const { inngest } = recordingInngest();
    ({ history } = createCountersign({ inngest, store, policy: definePolicy({ tools: {} }) }));
  });
  afterAll(async () => {
    await store.close();
    await database[Symbol.asyncDispose]();
  });

  const forget = (options: ForgetOptions) => forgetIn({ store }, options);
  const writeThread = async (tenantId: string, ownerId: string, id: string, ended = true) => {
    await store.openThread({ tenantId, id, ownerId, runId: null });
    await store.appendEntries(tenantId, id, [
      {
        ...{ runId: null, kind: "user", key: "1" },
        bodyJson: JSON.stringify({ id: "1", content: secretOf(tenantId) }),
      },
    ]);
    if (ended) await store.endThread(tenantId, id, null);
  };
  /** Every row of the schema, as text. */
  const allRows = async () => {
    const tables = await runSql(
      database,
      "select relname as name from pg_class where relnamespace = 'countersign'::regnamespace and relkind = 'r'",
    );
    const rows: string[] = [];
    for (const { name } of tables) {
      for (const { row } of await runSql(
        database,
        `select to_json(t)::text as row from countersign.${name} t`,
      ))
        rows.push(`${name} ${row}`);
    }
    return rows;
  };

  it("removes an approval that the host saved once it is approved, since nothing here starts it", async () => {
    const tenantId = "saving";
    const secret = secretOf(tenantId);
    await writeThread(tenantId, "eve", "thread-1");
    const save = (approvalId: string) =>
      history.savePendingApproval({
        ...{ approvalId, threadId: "thread-1", eventIdToWaitFor: approvalId, toolCallId: approvalId },
        ...{ toolName: "deploy", toolInput: { note: secret, approvalId }, status: "pending" },
        ...{ createdAt: new Date(), userId: "eve", tenantId },
      });
    const resolved = { status: "approved", resolvedAt: new Date(), resolvedBy: "ada" } as const;
    await save("a1");
    await history.resolvePendingApproval({ approvalId: "a1", ...resolved, tenantId });
    await save("a2");

    const report = await forget({ tenantId, personId: "eve" });
    expect(report).toMatchObject({
      removed: { approvals: 1, requests: 1 },
      kept: { requests: 1, threads: 1 },
    });
    await history.resolvePendingApproval({ approvalId: "a2", ...resolved, tenantId });
    expect(await forget({ tenantId, personId: "eve" })).toMatchObject({
      ...{ removed: { approvals: 1, requests: 1, threads: 1 }, kept: { requests: 0, threads: 0 } },
    });
    expect((await allRows()).filter((row) => row.includes(secret))).toEqual([]);
    expect(await store.verifyAudit(tenantId)).toMatchObject({ ok: true });
  });

  it("removes a person's messages, requests and preferences, and keeps the log valid", async () => {
    const tenantId = "acme";
    const secret = secretOf(tenantId);
    const about = {
      tenantId,
      requesterId: "eve",
      input: { note: secret },
      summary: secret,
      modelText: secret,
    };
    await writeThread(tenantId, "eve", "thread-1");
    await executedCall(store, { ...about, threadId: "thread-1" });
    const denied = await oneCall(store, about);
    const decision = { approvalId: denied.id, principal: personOf(tenantId), digest: denied.digest } as const;
    await store.decide({ ...decision, type: "deny", reason: secret });
    await store.settle(denied.requestId, 0);
    await store.setPreferences(tenantId, "eve", { note: secret });
    const colleague = await executedCall(store, { tenantId, requesterId: "bob" });
    const waiting = await oneCall(store, { tenantId, requesterId: "bob" });
    const until = new Date((await store.now()).getTime() + 60_000);
    await store.snooze({ approvalId: waiting.id, principal: personOf(tenantId, "eve"), until });
    expect((await allRows()).filter((row) => row.includes(secret)).length).toBeGreaterThan(5);

    const report = await forget({ tenantId, personId: "eve", by: "privacy" });
    expect(report.removed).toMatchObject({
      ...{ requests: 2, approvals: 2, threads: 1, thread_entries: 1, preferences: 1, snoozes: 1 },
    });
    expect(report.kept).toEqual({ requests: 0, threads: 0, decisions: 0, votes: 0, grants: 0, proofs: 0 });
    const all = await allRows();
    expect(all.filter((row) => row.includes(secret))).toEqual([]);
    const left = all.filter((row) => row.includes(`"${tenantId}"`));
    // Only the audit log still names the person, by their id.
    const named = left.filter((row) => row.includes('"eve"')).map((row) => row.split(" ")[0]);
    expect(new Set(named)).toEqual(new Set(["audit_entries"]));
    expect(await store.verifyAudit(tenantId)).toMatchObject({ ok: true, deleted: 2 });
    expect(await store.getApproval(tenantId, colleague.id)).toBeDefined();
    const entries = (await store.listAudit({ tenantId })).filter(({ type }) => type.startsWith("retention."));
    expect(entries.map(({ type, actorId }) => [type, actorId])).toEqual([
      ["retention.pruned", "privacy"],
      ["retention.pruned", "privacy"],
      ["retention.forgotten", "privacy"],
    ]);
    expect(JSON.stringify(entries.map(({ data }) => data))).not.toContain("eve");
  });

  it("keeps and counts what is pending, running or interrupted, and removes it after its end", async () => {
    const tenantId = "waiting";
    const about = { tenantId, requesterId: "eve" };
    const waiting = await oneCall(store, { ...about, threadId: "waits" });
    await writeThread(tenantId, "eve", "waits", false);
    await approvedCall(store, about);
    const cutOff = await interruptedCall(store, about);
    await writeThread(tenantId, "eve", "runs", false);
    const { removed, kept } = await forget({ tenantId, personId: "eve" });
    expect(removed).toEqual({});
    expect(kept).toMatchObject({ requests: 3, threads: 2 });
    await store.resolve({
      ...{ approvalId: cutOff.id, principal: personOf(tenantId), note: null, outcome: "failed" },
    });
    await store.decide({
      ...{
        approvalId: waiting.id,
        principal: personOf(tenantId),
        type: "deny",
        digest: waiting.digest,
        reason: null,
      },
    });
    await store.settle(waiting.requestId, 0);
    await store.endThread(tenantId, "waits", null);
    const later = await forget({ tenantId, personId: "eve" });
    expect(later).toMatchObject({ removed: { requests: 2, threads: 1 }, kept: { requests: 1, threads: 1 } });
  });

  it("keeps and counts a person's decisions about other people's calls", async () => {
    const tenantId = "deciding";
    await executedCall(store, { tenantId, requesterId: "bob" });
    const { removed, kept } = await forget({ tenantId, personId: "ada" });
    expect(removed).toEqual({});
    expect(kept).toMatchObject({ decisions: 1, proofs: 1 });
  });

  it("does not touch a person with the same id in another tenant", async () => {
    for (const tenantId of ["here", "there"]) {
      await writeThread(tenantId, "eve", "thread");
      await executedCall(store, { tenantId, requesterId: "eve" });
      await store.setPreferences(tenantId, "eve", {});
    }
    // Publishing marks the log's head.
    const published = async () => expect((await store.readUnpublished("there", 1)).upTo).toBeNull();
    await vi.waitFor(published, { timeout: 20_000 });
    const there = (await allRows()).filter((row) => row.includes('"there"'));
    await forget({ tenantId: "here", personId: "eve" });
    expect((await allRows()).filter((row) => row.includes('"there"'))).toEqual(there);
  });

  it.each(["tenantId", "personId"])("refuses an empty %s", async (field) => {
    const options = { tenantId: "acme", personId: "eve", [field]: "" };
    await expect(forget(options)).rejects.toMatchObject({ code: "invalid_option" });
  });
});
