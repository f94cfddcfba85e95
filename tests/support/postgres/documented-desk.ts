// A database that is used by the documented roles alone, for tests of what their rights are enough for.
import type { Approval } from "countersign";
import { signOutcome } from "countersign/internal";
import { freshPostgres } from "../databases.js";
import { endDeliveries, oneCall, openPast, personOf, signer } from "../evidence/past.js";
import type { proposeCall } from "../proposals.js";
import { postgresStore, retentionVerbs, type Store } from "../store.js";
import { createRole, retentionRole } from "./documented-roles.js";

export const hour = 3_600_000;
export const ada = personOf("acme");
export const bob = personOf("acme", "bob");
export const operator = { id: "operator", roles: [] };

export type Options = NonNullable<Parameters<typeof proposeCall>[1]>;
type Grant = NonNullable<Parameters<Store["decide"]>[0]["grant"]>;
export type DocumentedDesk = Awaited<ReturnType<typeof openDocumentedDesk>>;

/** Stores that connect as the documented roles, and calls in the states that their verbs need. */
export async function openDocumentedDesk() {
  const database = await freshPostgres();
  // Counts the calls of functions in new sessions.
  await database.admin.unsafe(
    `alter database "${new URL(database.url).pathname.slice(1)}" set track_functions = 'all'`,
  );
  // By default, everybody may call functions, and a right that is not documented would not be missed.
  await database.admin`revoke execute on all functions in schema countersign from public`;
  const roles = [await createRole(database), await createRole(database, retentionRole)] as const;
  for (const role of roles) await role.giveRights();
  const connect = ({ url }: { url: string }) => postgresStore({ url, max: 4 });
  const store = connect(roles[0]);
  const pruning = connect(roles[1]);
  const retention = { store: pruning, ...retentionVerbs(pruning) };
  const past = await openPast(database);
  const connected = new Set([store, pruning, past.store]);
  const call = (options: Options = {}) => oneCall(store, { notify: ["test"], ...options });
  const decide = (
    { id, digest }: Approval,
    type: "approve" | "deny" | "edit" | "respond" = "approve",
    more: Partial<Parameters<Store["decide"]>[0]> = {},
  ) => store.decide({ ...{ approvalId: id, principal: ada, type, digest, reason: null }, ...more }, signer);
  let granted = 0;
  const started = async (options: Options = {}) => {
    const approved = await call(options);
    await decide(approved);
    await store.claim(approved.id, "idempotent", () => undefined, signer);
    return approved;
  };
  return {
    ...{ database, store, retention, call, decide, started, appUrl: roles[0].url },
    /** A further store as the application's role. */
    another: () => {
      const other = connect(roles[0]);
      connected.add(other);
      return other;
    },
    /** A call that has run, with the signature of its outcome. */
    executed: async (options: Options = {}) => {
      const ran = await started(options);
      const end = { status: "executed", outcomeJson: "{}" } as const;
      const outcomeToken = await signOutcome(
        ran,
        { digest: ran.digest, editedDigest: null },
        { ...end, at: await store.now() },
        signer,
      );
      await store.finish(ran.id, { ...end, outcomeToken });
      return ran;
    },
    interrupted: async (options: Options = {}) => {
      const crashed = await started(options);
      await store.finish(crashed.id, { status: "interrupted" });
      return crashed;
    },
    /** An undo of a call that the policy approved. */
    undoOf: (undone: Approval) => {
      const undoes = {
        approvalId: undone.id,
        outcomeHash: "hash",
        askedBy: "ada",
        reason: null,
        after: null,
      };
      return call({ toolName: "refund.undo", verdict: "notify", terms: { undoes } });
    },
    /** A call that was approved together with a grant. */
    granted: async (
      limits: Pick<Grant, "uses" | "budget"> = { uses: null, budget: null },
    ): Promise<string> => {
      const asked = await call({ toolName: `granted_${++granted}`, terms: { grantable: ["team"] } });
      const covers = { scope: "team", inputHash: null, condition: null, authorSeesAll: false } as const;
      const grant = { ...covers, lifetimeMs: hour, ...limits };
      await decide(asked, "approve", { grant });
      const grants = await store.listGrants({ tenantId: "acme", limit: 100 });
      return grants.find(({ approvalId }) => approvalId === asked.id)?.id ?? "";
    },
    /** An attempt to deliver the message about a call. */
    delivery: async (about: Approval) => {
      const [due] = await store.listDeliveries("acme", about.id);
      const claimed = await store.claimDelivery(due?.id ?? "", ["test"]);
      if (typeof claimed === "string" || "roundups" in claimed) throw new Error("The delivery is not due");
      return claimed;
    },
    /** Has so many calls counted that were proposed together, two hours ago. */
    countedBefore: async (counter: string, calls: number) => {
      await call({ calls, verdict: "notify", countedAs: [{ counter, amount: 1 }] });
      await database.admin`
        update countersign.counted_calls set at = now() - interval '2 hours' where counter = ${counter}`;
    },
    /** Writes, 900 days ago, a row of each table from which retention deletes. */
    oldData: (tenantId: string) =>
      past.daysAgo(900, async () => {
        const owner = past.store;
        const person = personOf(tenantId);
        const approver = { principal: person, type: "approve", reason: null } as const;
        const counted = { countedAs: [{ counter: "spent", amount: 80 }], notify: ["test"] };
        const asked = await oneCall(owner, { tenantId, terms: { quorum: 2 }, ...counted });
        const about = { approvalId: asked.id, principal: person };
        await owner.setViewing({ ...about, active: true });
        await owner.snooze({ ...about, until: new Date(asked.createdAt.getTime() + 60_000) });
        await owner.recordRefusal({ ...about, attempt: "decision", code: "forbidden" });
        await owner.decide({ ...about, ...approver, digest: asked.digest }, signer);
        await owner.takeBack(about);
        await owner.withdrawRequest(asked.requestId, "superseded");
        await owner.settle(asked.requestId, 0);
        await endDeliveries(owner, asked);
        const granting = await oneCall(owner, { tenantId, runId: null, terms: { grantable: ["team"] } });
        const grant = { scope: "team", inputHash: null, condition: null, authorSeesAll: false } as const;
        const limits = { lifetimeMs: hour, uses: null, budget: null };
        const decision = { approvalId: granting.id, digest: granting.digest, grant: { ...grant, ...limits } };
        await owner.decide({ ...approver, ...decision }, signer);
        const action = { actionKind: "protected", toolName: "refund" } as const;
        const origin = "runtime-ui-confirm";
        await owner.recordConfirmation({ principal: person, action, origin, ttlMs: hour }, signer);
        await owner.openThread({ tenantId, id: "old", ownerId: "ada", runId: null });
        const entry = { runId: null, kind: "user", key: "one", bodyJson: "{}" } as const;
        await owner.appendEntries(tenantId, "old", [entry]);
        await owner.endThread(tenantId, "old", null);
        const stop = { tenantId, tool: "nothing", reason: "Test", by: operator };
        const { id } = await owner.engageStop(stop);
        await owner.releaseStop({ id, tenantId, reason: "Over", by: operator });
      }),
    /** The part of a tenant's log that can be sealed. */
    oldLog: async (tenantId: string) => {
      await past.daysAgo(900, () => past.store.recordNote({ tenantId, type: "call.refused", data: {} }));
      const { part } = await retention.sealablePart(tenantId, new Date(Date.now() - 31 * 24 * hour));
      if (!part) throw new Error("unreachable: the entry is old enough");
      return part;
    },
    async [Symbol.asyncDispose]() {
      for (const each of connected) await each.close().catch(() => {});
      for (const role of roles) await role[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}
