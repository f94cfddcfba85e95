import { createTool } from "@inngest/agent-kit";
import { type Approval, type Principal, type Stop, withUndo } from "countersign";
import { type Countersign, createCountersign } from "countersign/agent-kit";
import { toolVersion } from "countersign/internal";
import { expect } from "vitest";
import { z } from "zod";
import { finance, giveBudget, usedOf } from "../../support/budgets.js";
import { freshPostgres } from "../../support/databases.js";
import { interceptedStore } from "../../support/intercepted-store.js";
import { policyOf } from "../../support/policy-of.js";
import { stopClock } from "../../support/postgres/stopped-clock.js";
import { proposeCall } from "../../support/proposals.js";
import { recordingInngest } from "../../support/recording-inngest.js";
import { releaseCalls, stopCalls } from "../../support/stops.js";
import { postgresStore } from "../../support/store.js";
import { budget, type Call, timeoutMs, type Way } from "./model.js";

/** Where a process can die: after it has written an undo, or at a point of the product. */
export type CrashPoint =
  | "after-proposal"
  | "before-decision"
  | "after-decision"
  | "before-claim"
  | "after-claim"
  | "after-handler"
  | "after-record";

export class Crash extends Error {}

const rule = { tools: "refund.undo", verdict: "ask", timeout: `${timeoutMs / 60_000}m` };
const policy = policyOf([
  { ...rule, when: 'input.way == "one"' },
  { ...rule, when: 'input.way == "two"', approvers: { roles: ["finance"] }, quorum: 2 },
  { ...rule, when: 'input.way == "lead"', approvers: { roles: ["lead"] } },
  { ...rule, when: 'input.way == "deny"', verdict: "deny" },
  { ...rule, when: 'input.way == "notify"', verdict: "notify" },
]);

const beginning = Date.parse("2030-01-01T00:00:00Z");
const day = 24 * 3_600_000;
const counter = "refunds";

export interface Booking {
  /** The id of the approval is `apr_<name>_0`. */
  name: string;
  way: Way;
  amount: number;
  status: Call["status"];
  withinMs: number | null;
}

export type World = Awaited<ReturnType<typeof openWorld>>;

/** Two processes of an app on one Postgres, whose clock the test sets, and an engine that the test plays. */
export async function openWorld() {
  const database = await freshPostgres(10);
  const setClock = await stopClock(database.admin);
  const store = postgresStore({ client: database.postgres });
  await store.migrate();
  /** The calls whose effects undos have taken back. */
  const effects: string[] = [];
  let crashAt: CrashPoint | undefined;
  let fails = false;
  let grantId = "";
  let stop: Stop | undefined;
  const hook = Symbol.for("countersign:crash-point");
  const reach = (point: string) => {
    if (point === crashAt) throw new Crash(point);
  };
  Reflect.set(globalThis, hook, reach);
  const refund = withUndo(
    createTool({ name: "refund", parameters: z.looseObject({}), handler: () => "done" }),
    (_input, _outcome, { undoneApprovalId }) => {
      if (fails) throw new Error("The bank does not answer");
      effects.push(undoneApprovalId);
    },
  );
  const openProcess = () =>
    createCountersign({
      ...{ inngest: recordingInngest().inngest, policy, undoable: [refund] },
      logger: { info: () => {}, warn: () => {}, error: () => {} },
      store: interceptedStore(store, {
        // The product's own list may be half a second old by the real clock.
        engagedStops: async () => (await store.listStops({ tenantId: "acme", limit: 200 })).filter(isEngaged),
        propose: async (carryOut, ...args) => {
          const proposed = await carryOut(...args);
          reach("after-proposal");
          return proposed;
        },
      }),
    });
  const processes = [openProcess(), openProcess()] as const;

  const row = async (id: string): Promise<Approval> => {
    const found = await store.getApproval("acme", id);
    if (!found) throw new Error(`There is no approval ${id}`);
    return found;
  };
  const undoOf = async (id: string) => row((await row(id)).undoId ?? "");

  return {
    effects,
    row,
    /** Milliseconds since the beginning. */
    setTime: (now: number) => setClock(new Date(beginning + now)),
    /** Carries something out in a process that dies at this point, if it comes there. */
    async dyingAt<T>(point: CrashPoint | null, work: () => Promise<T>): Promise<T> {
      crashAt = point ?? undefined;
      try {
        return await work();
      } finally {
        crashAt = undefined;
      }
    },
    async failing<T>(isFailing: boolean, work: () => Promise<T>): Promise<T> {
      fails = isFailing;
      try {
        return await work();
      } finally {
        fails = false;
      }
    },
    /** Runs a call to its end: under the grant's budget, or approved by a person. */
    async book({ name, way, amount, status, withinMs }: Booking): Promise<void> {
      const reversible = withinMs === null ? true : withinMs === 0 ? false : `${withinMs / 60_000}m`;
      const [call] = await proposeCall(store, {
        ...{ ids: name, input: { id: name, way, amount }, announce: false, runId: `run_${name}` },
        approvers: { roles: ["finance"], ids: [] },
        toolVersion: toolVersion(refund),
        countedAs: [{ counter, amount: 1 }],
        terms: { grantable: ["team"], undoable: true, reversible },
      });
      if (!call) throw new Error("unreachable: one call was proposed");
      if (call.status === "proposed") {
        await store.announce(call.requestId);
        const decision = { approvalId: call.id, principal: finance, digest: call.digest, reason: null };
        await store.decide({ ...decision, type: "approve" });
      }
      await store.claim(call.id, "once", () => undefined);
      const outcomeJson = JSON.stringify({ status: "executed", data: name });
      await store.finish(call.id, status === "interrupted" ? { status } : { status, outcomeJson });
    },
    ask: async (id: string, principal: Principal, process: 0 | 1 = 0) =>
      processes[process].undo({ principal, approvalId: id, digest: (await row(id)).digest }),
    async decide(id: string, principal: Principal, type: "approve" | "deny") {
      const { id: approvalId, digest } = await undoOf(id);
      return processes[0].decide({ approvalId, principal, type, digest, reason: null });
    },
    resolve: async (id: string, principal: Principal, outcome: "done" | "failed") =>
      processes[0].resolve({ approvalId: (await undoOf(id)).id, principal, outcome, note: null }),
    /** Runs the function that undoes a call, as the engine does for an event that arrives once, late or twice. */
    async run(id: string, process: 0 | 1 = 0): Promise<void> {
      const { requestId } = await undoOf(id);
      await functionOf(processes[process])({
        event: { data: { requestId } },
        runId: `run_of_${requestId}`,
        step: {
          // It waits no longer than the people of this test.
          async invoke() {
            await store.announce(requestId);
            await store.settle(requestId, 0);
            return { decisions: [] };
          },
          run: (_name, work) => work(),
          async sendEvent() {},
        },
      });
    },
    sweep: () => store.sweep(),
    async stop(): Promise<void> {
      stop = await stopCalls(store, "refund.undo");
    },
    async release(): Promise<void> {
      if (stop) await releaseCalls(store, stop);
      stop = undefined;
    },
    /** The calls of the counter, as limits over time count them. */
    async counted(): Promise<number> {
      const [found] = await store.readCounts("acme", [{ counter, windowMs: 31 * day }]);
      return found ?? 0;
    },
    spent: () => usedOf(store, grantId),
    /** All calls with their present undos. */
    async read() {
      return database.admin<Row[]>`
        select call.id, call.status, call.undone_at is not null as undone, undo.status as undo,
          undo.resolution_outcome as resolution, undo.terms -> 'undoes' ->> 'askedBy' as asked,
          (select count(*)::int from countersign.audit_entries e where e.approval_id = call.id and e.type = 'call.undone')
            as entries,
          (select coalesce(json_agg(v.principal_id order by v.principal_id), '[]') from countersign.votes v
            where v.approval_id = undo.id and v.type = 'approve' and v.taken_back_at is null) as votes, undo.decided_by as decided
        from countersign.approvals call left join countersign.approvals undo on undo.id = call.undo_id
        where call.tool_name = 'refund' and call.terms ->> 'undoable' = 'true' order by call.id`;
    },
    /** All undos that were ever asked for, with their calls. */
    async undos() {
      return database.admin<UndoRow[]>`
        select call.id as call, undo.id, undo.status, undo.resolution_outcome as resolution,
          case when call.terms ->> 'reversible' <> 'true'
            then extract(epoch from (call.terms ->> 'reversible')::interval)::float8 * 1000 end as within,
          extract(epoch from undo.created_at - call.finished_at)::float8 * 1000 as after_ms
        from countersign.approvals undo
        join countersign.approvals call on call.id = undo.terms -> 'undoes' ->> 'approvalId'`;
    },
    verify: () => store.verifyAudit("acme"),
    /** Empties the database for the next run, and gives its budget. */
    async reset(): Promise<void> {
      effects.length = 0;
      stop = undefined;
      // Only a superuser who first disables the triggers can empty the audit log.
      await database.admin.unsafe(`
        alter table countersign.audit_entries disable trigger user;
        alter table countersign.audit_heads disable trigger user;
        alter table countersign.stops disable trigger append_only;
        truncate countersign.requests, countersign.grants, countersign.audit_entries, countersign.audit_heads,
          countersign.stops restart identity cascade;
        alter table countersign.stops enable always trigger append_only;
        alter table countersign.audit_entries enable always trigger append_only;
        alter table countersign.audit_heads enable always trigger append_only;
        alter table countersign.audit_heads enable always trigger only_forward;`);
      await setClock(new Date(beginning));
      grantId = await giveBudget(
        store,
        { amount: "amount", total: budget, each: null, unit: "EUR" },
        { toolVersion: toolVersion(refund) },
      );
    },
    async [Symbol.asyncDispose]() {
      Reflect.deleteProperty(globalThis, hook);
      await store.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

export interface Row {
  id: string;
  status: string;
  undone: boolean;
  undo: string | null;
  asked: string | null;
  resolution: string | null;
  entries: number;
  votes: string[];
  decided: string | null;
}

export interface UndoRow {
  call: string;
  id: string;
  status: string;
  resolution: string | null;
  /** Milliseconds within which it could be asked for; `null`: at any time. */
  within: number | null;
  after_ms: number;
}

function isEngaged({ releasedAt }: { releasedAt: Date | null }): boolean {
  return releasedAt === null;
}

interface Steps {
  invoke(): Promise<unknown>;
  run(name: string, work: () => Promise<unknown>): Promise<unknown>;
  sendEvent(): Promise<void>;
}

/** The handler of the function that undoes calls. */
function functionOf({ functions }: Countersign) {
  const found = functions.find((candidate) => candidate.id() === "countersign-undo");
  const handler: unknown = found && Reflect.get(found, "fn");
  expect(handler).toBeTypeOf("function");
  return handler as (context: { event: { data: object }; runId: string; step: Steps }) => Promise<unknown>;
}
