import type { Approval, AuditEntry } from "countersign";
import type { TestDatabase } from "./databases.js";
import { proposeCall } from "./proposals.js";
import { pgliteStore, postgresStore, type Store } from "./store.js";

/** Runs a statement directly on the database, without the store. */
export async function runSql(
  database: TestDatabase,
  text: string,
  params: (string | number)[] = [],
): Promise<Record<string, unknown>[]> {
  if (database.kind === "postgres") return [...(await database.admin.unsafe(text, params))];
  return (await database.pglite.query<Record<string, unknown>>(text, params)).rows;
}

/** A migrated store on the database. */
export async function openStore(database: TestDatabase, clockOffset?: () => number): Promise<Store> {
  const options = clockOffset ? { clockOffset } : {};
  const store =
    database.kind === "postgres"
      ? postgresStore({ client: database.postgres, ...options })
      : pgliteStore({ client: database.pglite, ...options });
  await store.migrate();
  return store;
}

/** Lets a trigger record every state of each approval. The returned function reads the states, in order. */
export async function watchStates(database: TestDatabase): Promise<() => Promise<Map<string, string[]>>> {
  for (const statement of [
    "create table state_changes (seq bigserial primary key, approval_id text, status text)",
    `create function note_state() returns trigger language plpgsql security definer as $$ begin
       if tg_op = 'INSERT' or new.status <> old.status then
         insert into public.state_changes (approval_id, status) values (new.id, new.status);
       end if;
       return null;
     end $$`,
    `create trigger note_state after insert or update on countersign.approvals
       for each row execute function note_state()`,
  ]) {
    await runSql(database, statement);
  }
  return async () => {
    const states = new Map<string, string[]>();
    const rows = await runSql(database, "select approval_id, status from state_changes order by seq");
    for (const { approval_id, status } of rows) {
      const id = String(approval_id);
      states.set(id, [...(states.get(id) ?? []), String(status)]);
    }
    return states;
  };
}

/** The state that an approval has after an entry of this type. Entries such as votes and reminders change no state. */
const stateOf: Record<string, string> = {
  "approval.proposed": "proposed",
  "approval.notified": "approved",
  "approval.denied_by_policy": "denied",
  "approval.announced": "pending",
  "approval.edited": "approved",
  ...Object.fromEntries(
    [
      ...["approved", "denied", "responded", "expired", "withdrawn"],
      ...["executing", "executed", "failed", "interrupted"],
    ].map((state) => [`approval.${state}`, state]),
  ),
};

/** The states of each approval according to its audit entries. */
export function statesTold(entries: readonly AuditEntry[]): Map<string, string[]> {
  const states = new Map<string, string[]>();
  for (const { approvalId, type } of entries) {
    const state = stateOf[type];
    if (approvalId === null || state === undefined) continue;
    states.set(approvalId, [...(states.get(approvalId) ?? []), state]);
  }
  return states;
}

/** A tenant's whole log. */
export async function wholeLog(store: Store, tenantId: string): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for (;;) {
    const page = await store.listAudit({ tenantId, after: entries.at(-1)?.position ?? 0, limit: 100 });
    if (page.length === 0) return entries;
    entries.push(...page);
  }
}

/** A tenant with six entries, of two approvals and a note. */
export async function smallLog(store: Store, tenantId: string): Promise<Approval[]> {
  const approvals = await proposeCall(store, { tenantId, calls: 2 });
  const [first] = approvals;
  if (!first) throw new Error("unreachable");
  const principal = { id: "ada", tenantId, roles: ["finance"] };
  await store.decide({
    approvalId: first.id,
    principal,
    type: "approve",
    digest: first.digest,
    reason: null,
  });
  await store.recordNote({
    tenantId,
    type: "call.refused",
    data: { attempt: 1, toolName: "erase" },
  });
  return approvals;
}
