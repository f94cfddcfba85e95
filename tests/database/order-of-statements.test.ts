import type { Approval } from "countersign";
import { createEvidenceSigner } from "countersign/evidence";
import postgres from "postgres";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { sentStatements } from "../support/postgres/sent-statements.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore, type Store } from "../support/store.js";

const finance = { id: "finance", tenantId: "acme", roles: ["finance"] };
const signer = createEvidenceSigner("only for tests, and at least 32 bytes long");

/** A store that notes the statements of each transaction, without begin, scope, audit and commit. */
async function openStore() {
  const database = await freshPostgres(2);
  const statements = sentStatements();
  const client = postgres(database.url, { max: 1, onnotice: () => {}, debug: statements.debug });
  const store = postgresStore({ client });
  await store.migrate();
  const statementsOf = async (verb: (store: Store) => Promise<unknown>) => {
    const sent = await statements.during(() => verb(store));
    const around = /^(begin|commit|rollback)|set_config|append_to_audit_log/;
    return sent.map(({ text }) => text).filter((text) => !around.test(text));
  };
  return {
    store,
    statementsOf,
    async [Symbol.asyncDispose]() {
      await client.end({ timeout: 1 });
      await database[Symbol.asyncDispose]();
    },
  };
}

describe("the statements of a verb", () => {
  it("come behind the turn of the tenant if limits over time count a call", async () => {
    await using opened = await openStore();
    const counts = { queries: [{ counter: "refunds", windowMs: 1000 }], stand: () => true };
    const proposing = await opened.statementsOf(() =>
      proposeCall(opened.store, { announce: false, counts, ids: "one", signer }),
    );
    expect(proposing.map((text) => /pg_advisory_xact_lock|read_all|apply_changes/.exec(text)?.[0])).toEqual([
      "pg_advisory_xact_lock",
      "read_all",
      "apply_changes",
    ]);
  });

  it("are few for a call that one person decides", async () => {
    await using opened = await openStore();
    const { store, statementsOf } = opened;
    const proposed: Approval[] = [];
    const propose = async () => {
      const call = { ids: "one", announce: false, signer, terms: { extensions: 1 } };
      proposed.push(...(await proposeCall(store, call)));
    };
    const proposing = (await statementsOf(propose)).length;
    await store.announce("req_one");
    const [call] = proposed;
    const { id: approvalId, digest } = call ?? { id: "", digest: "" };
    const about = { approvalId, principal: finance };
    const decision = { ...about, digest, type: "approve", reason: null } as const;
    const count = async (verb: (store: Store) => Promise<unknown>) => (await statementsOf(verb)).length;
    let claimed: Awaited<ReturnType<Store["claim"]>> | undefined;
    expect({
      allow: await count(() => store.recordAllowed({ tenantId: "acme", runId: "run", requestId: "req_2" })),
      propose: proposing,
      assign: await count(() => store.assign({ ...about, to: "grace" }, signer)),
      extend: await count(() => store.extend({ ...about, byMs: 60_000 })),
      snooze: await count(() => store.snooze({ ...about, until: new Date(Date.now() + 60_000) })),
      decide: await count(() => store.decide(decision, signer)),
      settle: await count(() => store.settle("req_one", 0)),
      claim: await count(async () => {
        claimed = await store.claim(approvalId, "once", () => undefined, signer);
      }),
      finish: await count(() => {
        const approval = claimed?.outcome === "claimed" ? claimed.approval : undefined;
        return store.finish(approvalId, { status: "executed", outcomeJson: "{}" }, approval);
      }),
    }).toEqual({
      allow: 1,
      propose: 1,
      assign: 2,
      extend: 2,
      snooze: 2,
      decide: 2,
      settle: 2,
      claim: 2,
      finish: 1,
    });
  });

  it("go over the connection of their own transaction, though built once for all", async () => {
    await using database = await freshPostgres(4);
    const statements = sentStatements();
    const client = postgres(database.url, {
      ...{ max: 2, fetch_types: false, onnotice: () => {} },
      debug: statements.debug,
    });
    const store = postgresStore({ client });
    await store.migrate();
    const calls: Approval[] = [];
    for (const ids of ["one", "two"]) calls.push(...(await proposeCall(store, { ids, signer })));
    const sent = await statements.during(() =>
      Promise.all(
        calls.map(({ id: approvalId }) => store.setViewing({ approvalId, principal: finance, active: true })),
      ),
    );
    const connections = [...new Set(sent.map(({ connection }) => connection))];
    expect(connections).toHaveLength(2);
    for (const connection of connections) {
      const own = sent.filter((each) => each.connection === connection).map(({ text }) => text);
      expect(own[0]).toMatch(/^begin/);
      expect(own.at(-1)).toBe("commit");
      expect(own.filter((text) => text.startsWith(`insert into "countersign"."viewers"`))).toHaveLength(1);
      expect(
        own.filter((text) => text.includes(`"countersign"."approvals"`) && text.startsWith("select")),
      ).toHaveLength(2);
    }
    await client.end({ timeout: 1 });
  });

  it("write the calls of a response so that lists keep their order", async () => {
    await using opened = await openStore();
    await proposeCall(opened.store, { calls: 20 });
    const listed = await opened.store.listApprovals({ tenantId: "acme", limit: 50 });
    expect(listed.map(({ position }) => position)).toEqual(Array.from({ length: 20 }, (_, index) => index));
  });
});
