import { createCountersign } from "countersign";
import { postgresStore } from "countersign/postgres";
import { Inngest } from "inngest";
import postgres from "postgres";
import { finance, policy } from "./installation.mjs";

/** @typedef {{ text: string, parameters: unknown[] }} Statement */
/** @typedef {{ tenantId: string, id: string, digest: string }} Call */

/**
 * @param {string} url
 * @param {Call} call
 * @returns {Promise<Statement[]>} those of a decision about this call: what reads and what applies
 */
export async function recordDecision(url, { tenantId, id, digest }) {
  /** @type {Statement[]} */
  const statements = [];
  const client = postgres(url, {
    max: 1,
    onnotice: () => {},
    debug: (_, text, parameters) => statements.push({ text, parameters: [...parameters] }),
  });
  const countersign = createCountersign({
    inngest: new Inngest({ id: "bench", isDev: true, fetch: takesEvents }),
    store: postgresStore({ client }),
    policy,
    signingKey: "only for benchmarks, and at least 32 bytes",
  });
  await client`select 1`;
  statements.length = 0;
  await countersign.decide({
    approvalId: id,
    principal: { ...finance, tenantId },
    type: "approve",
    digest,
    reason: null,
  });
  await client.end();
  return statements.filter(({ text }) => /countersign\.(read_all|apply_changes)\(/.test(text));
}

/** @type {typeof fetch} */
async function takesEvents() {
  return Response.json({ ids: ["event"], status: 200 });
}

/**
 * Sends the statements of one decision again for another call, with the versions that the first of the two reads.
 *
 * @param {import("postgres").Sql} sql
 * @param {Statement[]} statements
 * @param {Call} recorded its id and its tenant's stand nowhere within other words
 * @param {Call} call
 */
export async function repeatDecision(sql, [read, apply], recorded, call) {
  if (!read || !apply) throw new Error("A decision reads and applies");
  /** @param {unknown} value */
  const ofCall = (value) =>
    typeof value === "string"
      ? value
          .replaceAll(recorded.tenantId, call.tenantId)
          .replaceAll(recorded.id, call.id)
          .replaceAll(recorded.digest, call.digest)
          .replaceAll(/\bevd_[0-9a-f-]+/g, `evd_${call.id}`)
      : value;
  const [found] = JSON.parse(await resultOf(sql, read.text, read.parameters.map(ofCall)));
  const [tenant, allTenants, waitMs, shiftMs, _, sets] = apply.parameters.map(ofCall);
  // Alone, it may wait for a row as long as for anything else.
  const settings = [tenant, allTenants, waitMs, shiftMs, waitMs];
  const changes = ofVersions(String(sets), found.request);
  const [written] = JSON.parse(await resultOf(sql, apply.text, [...settings, changes]));
  if (!/^\d+$/.test(written)) throw new Error(`${call.id} was not written, because of ${written}`);
}

/** @param {import("postgres").Sql} sql @param {string} text @param {unknown[]} parameters @returns {Promise<string>} */
async function resultOf(sql, text, parameters) {
  const [row] = await sql.unsafe(text, /** @type {any[]} */ (parameters), { prepare: true });
  return row?.result;
}

/** @param {string} recorded @param {any} request */
function ofVersions(recorded, request) {
  const [set] = JSON.parse(recorded);
  // It was judged when it was recorded.
  const { judgedAt: _, validUntil: __, ...changes } = set;
  changes.request = { ...changes.request, version: request.version };
  changes.approvals[0].version = request.calls[0].version;
  return JSON.stringify([changes]);
}
