// A desk with a signingKey, for attackers who can write to every table but do not hold the key.
import { createTool } from "@inngest/agent-kit";
import {
  type Approval,
  approvalOf,
  ask,
  definePolicy,
  idempotent,
  manual,
  notify,
  type SigningKey,
} from "countersign";
import type { CountersignOptions } from "countersign/agent-kit";
import { approvalDigest } from "countersign/internal";
import { expect } from "vitest";
import { z } from "zod";
import { callsFromMessage, callsOf } from "../calls-from-message.js";
import { freshPostgres } from "../databases.js";
import { openHarness } from "../harness.js";
import { replaceable } from "../replaceable-policy.js";

/** Secrets in the order in which they replace one another. */
const secrets = [
  "a-first-secret-that-is-long-enough-for-a-key",
  "a-second-secret-that-is-long-enough-for-it",
];

export const firstKey: SigningKey = { current: { id: "first", secret: secrets[0] ?? "" } };
export const rotatedKey: SigningKey = {
  current: { id: "second", secret: secrets[1] ?? "" },
  previous: [{ id: "first", secret: secrets[0] ?? "" }],
};

/** The options of a process that was started without the key. */
export const withoutKey = { signingKey: undefined } as unknown as Partial<CountersignOptions>;

/** Tests of forgeries run with one key, and with a key that is rotated between the decision and the start. */
export const keysInTheMiddle = [
  { keys: "one key", later: firstKey },
  { keys: "a key that is rotated before the start", later: rotatedKey },
];

export const deskRules = {
  refund: ask({
    approvers: { roles: ["finance"] },
    decisions: ["approve", "edit", "deny"],
    editable: ["amount"],
  }),
  pay: ask({
    approvers: { roles: ["finance", "lead"] },
    quorum: 2,
    denials: 2,
    requesterMayNotApprove: true,
  }),
  settle: ask({ approvers: { roles: ["finance", "lead"] }, quorum: 2, distinctRoles: true }),
  wire: ask({
    approvers: { roles: ["finance"] },
    delegable: true,
    escalation: [{ after: "20m", escalateTo: ["lead"] }],
    extensions: 1,
  }),
  card: ask({
    approvers: { roles: ["finance"] },
    redact: ["to"],
    summary: "Charge {{amount}} EUR to {{to}}",
  }),
  gift: ask({ approvers: { roles: ["finance"] }, grantable: ["thread", "user", "team"] }),
  sign: manual({ approvers: { roles: ["finance"] } }),
  mail: notify(),
};

/** Grants count for one tool, so a desk can have several alike. */
export type DeskTool = keyof typeof deskRules | `gift-${number}`;

interface DeskCall {
  name: DeskTool;
  input: { to: string; amount: number };
}

export type SignedDesk = Awaited<ReturnType<typeof openSignedDesk>>;

/** A desk for many forgeries, one after the other. */
export async function openSignedDesk(
  options: { countersign?: Partial<CountersignOptions>; gifts?: number } = {},
) {
  const database = await freshPostgres();
  const started: { approvalId: string | undefined; input: unknown }[] = [];
  const gifts = Array.from({ length: options.gifts ?? 0 }, (_, at) => `gift-${at}`);
  const rules = { ...deskRules, ...Object.fromEntries(gifts.map((name) => [name, deskRules.gift])) };
  const tools = Object.keys(rules).map((name) => {
    const tool = createTool({
      name,
      description: `Does ${name}`,
      parameters: z.object({ to: z.string(), amount: z.number() }),
      handler: (input, options) => {
        started.push({ approvalId: approvalOf(options)?.id, input });
        return { ok: true };
      },
    });
    return name.startsWith("gift") ? idempotent(tool) : tool;
  });
  const { policy, redeploy } = replaceable(definePolicy({ tools: rules }));
  const harness = await openHarness({
    database,
    tools,
    policy,
    reply: callsFromMessage,
    countersign: { signingKey: firstKey, ...options.countersign },
  });
  const sql = database.admin;

  const desk = {
    database,
    harness,
    sql,
    /** Replaces rules of the policy. */
    redeploy: (changes: Parameters<typeof definePolicy>[0]["tools"]) =>
      redeploy(definePolicy({ tools: { ...rules, ...changes } })),
    /** Has the model make a call, and waits until the call is pending. */
    async propose(name: DeskTool, input: DeskCall["input"], threadId?: string) {
      const known = new Set((await desk.waiting()).map(({ id }) => id));
      const run = await desk.say(name, input, threadId);
      const approval = await harness.onceAtRest(
        async () => (await desk.waiting()).find(({ id }) => !known.has(id)),
        `${name} waits`,
      );
      return { ...run, approval };
    },
    /** Has the model make a call, whatever becomes of it. */
    say: (name: DeskTool, input: DeskCall["input"], threadId?: string) =>
      desk.sayAll([{ name, input }], threadId),
    sayAll: (calls: readonly DeskCall[], threadId?: string) => harness.say(callsOf(...calls), threadId),
    /** Waits until a run has this many calls, and returns them in order. */
    ofRun: (runId: string, count = 1): Promise<Approval[]> =>
      harness.onceAtRest(async () => {
        const all = await harness.store.listApprovals({ tenantId: "acme", limit: 500 });
        const own = all.filter((approval) => approval.runId === runId && approval.status !== "proposed");
        return own.length === count ? own.sort((a, b) => a.position - b.position) : undefined;
      }, `${count} calls of ${runId}`),
    waiting: () => harness.store.listApprovals({ tenantId: "acme", statuses: ["pending"], limit: 100 }),
    /** The call as the API shows it to the principal of a token. */
    async shownTo(token: string, id: string) {
      return (await harness.call(token, `/approvals/${id}`)).body;
    },
    /** Reads a call and decides it with the digest it shows, as a person does. */
    async decide(
      id: string,
      type: string,
      { token = "finance", ...more }: { token?: string; [field: string]: unknown } = {},
    ) {
      const { digest } = await desk.shownTo(token, id);
      return harness.call(token, `/approvals/${id}/decision`, {
        method: "POST",
        body: { type, digest: digest ?? "unseen", ...more },
      });
    },
    assign: (id: string, to: string | null) =>
      harness.call("finance", `/approvals/${id}/assign`, { method: "POST", body: { to } }),
    /** The arguments with which handlers were started under an approval. */
    startsOf: (id: string) => started.filter(({ approvalId }) => approvalId === id).map(({ input }) => input),
    /** Sets the digest to that of the row's present content, as an attacker who reads the nonce can. */
    async redigest(id: string) {
      const [row] = await sql`select tenant_id from countersign.approvals where id = ${id}`;
      const approval = (await harness.store.getApproval(String(row?.tenant_id), id)) as Approval;
      await sql`update countersign.approvals set digest = ${approvalDigest(approval)} where id = ${id}`;
    },
    /** Moves a call and its request to a tenant, as an attacker who can switch off the foreign keys can. */
    async moveToTenant(id: string, tenantId: string) {
      await sql.begin(async (tx) => {
        await tx`set local session_replication_role = 'replica'`;
        const [row] = await tx`
          update countersign.approvals set tenant_id = ${tenantId} where id = ${id} returning request_id`;
        await tx`update countersign.requests set tenant_id = ${tenantId} where id = ${row?.request_id}`;
      });
      await desk.redigest(id);
    },
    /** The digest of the call with the edited arguments in its row. */
    async editedDigest(id: string) {
      const [row] = await sql`select edited_input_json from countersign.approvals where id = ${id}`;
      const approval = (await harness.store.getApproval("acme", id)) as Approval;
      return approvalDigest({ ...approval, inputJson: String(row?.edited_input_json) });
    },
    /** Expects that the call was withdrawn for this cause, and that the audit log names the field that differed. */
    async expectRefused(id: string, cause: string, field?: string) {
      const [row] = await sql`select status, withdrawal_cause from countersign.approvals where id = ${id}`;
      expect(row).toMatchObject({ status: "withdrawn", withdrawal_cause: cause });
      if (field !== undefined) expect((await desk.lastOf(id)).data).toMatchObject({ cause, field });
    },
    /** Lets the run continue, in a process with another key if one is given, until it ends. */
    async goOn(runId: string, later?: SigningKey) {
      if (later) harness.redeploy({ signingKey: later });
      await desk.wake(runId);
      await harness.ended(runId);
      if (later) harness.redeploy({ signingKey: firstKey });
    },
    /** Starts the engine, and wakes the run as the relay would. */
    async wake(runId: string) {
      // A row that was decided by hand has no wake-up. The locks are taken in the order in which the store takes them.
      await sql`
        with request as (select id, tenant_id from countersign.requests where run_id = ${runId} for update)
        insert into countersign.outbox (request_id, tenant_id, created_at, attempts, next_attempt_at)
        select id, tenant_id, now(), 0, now() - interval '1 minute' from request
        on conflict (request_id) do nothing`;
      await harness.engine.start();
      await harness.clock.advance(61_000);
    },
    /** The last audit entry of a call. */
    async lastOf(id: string) {
      const [row] = await sql`
        select type, data from countersign.audit_entries where approval_id = ${id} order by position desc limit 1`;
      return { type: String(row?.type), data: row?.data as Record<string, unknown> };
    },
    /** The body of the last request to the model. */
    told: () => JSON.stringify(harness.model.requests.at(-1)?.body),
    /** The results in that request, by the id that the model gave the call. */
    results() {
      const body = harness.model.requests.at(-1)?.body as Partial<{
        messages: { tool_call_id?: string; content: unknown }[];
      }>;
      return new Map(
        (body.messages ?? []).flatMap(({ tool_call_id: id, content }) =>
          id ? [[id, JSON.stringify(content)]] : [],
        ),
      );
    },
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
  return desk;
}
