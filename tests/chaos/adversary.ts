import { setTimeout as sleep } from "node:timers/promises";
import { derivedId } from "@countersign/policy/internal/shared/canonical-hash";
import type postgres from "postgres";
import type { Journal, Shown } from "./journal.js";
import { rowsIfReachable } from "./rows-if-reachable.js";

/** The adversary: forges wake-ups, and changes stored rows behind the product's back. */
export interface Adversary {
  forgeWakeUps(shown: Shown): Promise<void>;
  /** True when the stored arguments were changed while the call waited. */
  tamper(shown: Shown): Promise<boolean>;
  /** Sends the product another event that a message is due. */
  repeatDue(deliveryId: string): Promise<void>;
}

/** The journal's counter of calls that people decide only after their run has read a forged wake-up. */
export const wakeUpsToBeRead = "wake-ups forged until one is read";

/** Milliseconds between two forged wake-ups, one of which the run should read. */
const againMs = 1000;

export interface AdversaryOptions {
  /** A superuser's connections. */
  sql: postgres.Sql;
  engineUrl: string;
  journal: Journal;
  /** True when everything is over. */
  over: () => boolean;
}

export function createAdversary({ sql, engineUrl, journal, over }: AdversaryOptions): Adversary {
  const send = async (requestId: string, token: string) => {
    // A run must not trust the decision in this event.
    const data = { requestId, token, decision: "approve", status: "approved" };
    await fetch(`${engineUrl}/e/forged`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "countersign/request.wake-up", data }),
    }).catch(() => undefined);
    journal.count("wake-ups forged");
  };
  const tokenOf = async (requestId: string) => {
    const [row] = await rowsIfReachable(sql`select name_secret from countersign.installation`);
    return row ? derivedId("wake", String(row.name_secret), "wake-up", requestId) : "unknown";
  };
  /** A run that has read a forged wake-up, and has not trusted it, begins to wait again. */
  const sendUntilRead = async ({ approvalId, requestId }: Shown) => {
    journal.count(wakeUpsToBeRead);
    let before: number | undefined;
    for (; !over(); await sleep(againMs)) {
      const [row] = await rowsIfReachable(sql`
        select r.rounds, a.status from countersign.approvals a
        join countersign.requests r on r.id = a.request_id where a.id = ${approvalId}`);
      if (!row) continue;
      before ??= Number(row.rounds);
      if (row.status !== "pending" || Number(row.rounds) > before) return;
      await send(requestId, await tokenOf(requestId));
    }
  };
  return {
    async forgeWakeUps(shown) {
      const { requestId, call } = shown;
      const { forgery } = call.people;
      if (forgery === "none") return;
      if (forgery === "until it is read") return sendUntilRead(shown);
      const token = forgery === "wrong token" ? "guessed" : await tokenOf(requestId);
      const times = forgery === "right token, many" ? 3 : 1;
      await Promise.all(Array.from({ length: times }, () => send(requestId, token)));
    },
    async repeatDue(deliveryId) {
      await fetch(`${engineUrl}/e/forged`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name: "countersign/delivery.due", data: { deliveryId } }),
      }).catch(() => undefined);
      journal.count("channels: events repeated");
    },
    async tamper({ approvalId, call }) {
      const changed = JSON.stringify({ ...call.input, amount: 999_999 });
      const [row] = await rowsIfReachable(sql`
        select input_json from countersign.approvals where id = ${approvalId}`);
      if (!row) return false;
      // Before the change, whose answer may be lost.
      journal.changedArguments.set(approvalId, String(row.input_json));
      const rows = await rowsIfReachable(sql`
        update countersign.approvals set input_json = ${changed}
        where id = ${approvalId} and status = 'pending' returning id`);
      if (rows.length > 0) journal.count("stored arguments changed");
      return rows.length > 0;
    },
  };
}
