// An attacker who can write to every table as the application does, and does not hold the key, makes calls be undone.

import { hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import type { Approval } from "countersign";
import { approvalDigest, toolVersion } from "countersign/internal";
import postgres from "postgres";
import { expect } from "vitest";
import type { openBookingDesk } from "../booking-desk.js";
import type { freshPostgres } from "../databases.js";
import { appendToLog } from "../postgres/append-to-log.js";
import { createRole } from "../postgres/documented-roles.js";

/** What an undo says about the call that it is for. */
const about = (call: Approval) => ({
  outcomeHash: hashCanonical({ nonce: call.nonce, text: call.outcomeJson }),
  version: toolVersion({
    ...{ name: `${call.toolName}.undo`, description: `Undoes the call ${call.id}` },
    handler: () => undefined,
  }),
});

type Desk = Awaited<ReturnType<typeof openBookingDesk>>;

export async function openAttacker(database: Awaited<ReturnType<typeof freshPostgres>>, desk: Desk) {
  const role = await createRole(database);
  await role.giveRights();
  const sql = postgres(role.url, {
    ...{ max: 1, onnotice: () => {} },
    connection: { "countersign.all_tenants": "on" },
  });
  const attacker = {
    sql,
    /** Changes the row of an approval and makes its digest match, as anybody can who reads the nonce. */
    async rewrite(id: string, set: string): Promise<void> {
      await sql.unsafe(`update countersign.approvals set ${set} where id = $1`, [id]);
      await sql`update countersign.approvals set digest = ${approvalDigest(await desk.row(id))} where id = ${id}`;
    },
    /** Appends an entry to the log. */
    async log(approvalId: string, type: string, data: Record<string, unknown>): Promise<void> {
      await appendToLog(sql, { tenantId: "acme", approvalId, type, actorId: "finance", data });
    },
    /** Writes an undo of a call that the policy approves by itself, in the form of a real one. */
    async forgeUndo(call: Approval, model: Approval): Promise<string> {
      const [id, requestId] = [`apr_forged_${call.id}`, `req_forged_${call.id}`];
      const copy = async (table: string, from: string, fields: object) => {
        await sql.unsafe(
          `insert into countersign.${table} select (jsonb_populate_record(row, $2::text::jsonb)).*
           from countersign.${table} row where row.id = $1`,
          [from, JSON.stringify(fields)],
        );
      };
      await copy("requests", model.requestId, { id: requestId, settled_at: null });
      const { outcomeHash, version } = about(call);
      const undone = await desk.row(model.terms.undoes?.approvalId ?? "");
      expect({ outcomeHash: model.terms.undoes?.outcomeHash, version: model.toolVersion }).toEqual(
        about(undone),
      );
      const undoes = {
        ...{ approvalId: call.id, outcomeHash },
        ...{ askedBy: "finance", reason: null, after: null },
      };
      await copy("approvals", model.id, {
        ...{ id, request_id: requestId, tool_call_id: id, status: "approved", input_json: call.inputJson },
        tool_version: version,
        ...{
          started_at: null,
          started_by: null,
          finished_at: null,
          outcome_json: null,
          outcome_token: null,
          undo_token: null,
        },
        terms: { ...model.terms, undoes },
      });
      await attacker.rewrite(id, "nonce = 'forged'");
      const { digest } = await desk.row(id);
      await sql`update countersign.approvals set undo_id = ${id}, undone_at = null where id = ${call.id}`;
      await attacker.log(id, "approval.notified", { digest, toolName: "book.undo" });
      return id;
    },
    /** Starts an undo, as the relay does, and waits until nothing happens any more. */
    async start({ requestId }: { requestId: string }): Promise<void> {
      const data = { requestId, appId: "harness", instanceId: "countersign" };
      await desk.inngest.send({ name: "countersign/undo.requested", data });
      await desk.engine.idle();
    },
    async [Symbol.asyncDispose]() {
      await sql.end();
      await role[Symbol.asyncDispose]();
    },
  };
  return attacker;
}
