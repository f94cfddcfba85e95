import type postgres from "postgres";
import type { Journal, Shown } from "./journal.js";

/** Who does what nobody may: sends wake-ups, and changes what is stored behind the product's back. */
export interface Adversary {
  forgeWakeUps(shown: Shown): Promise<void>;
  /** True when the stored arguments were changed while the call waited. */
  tamper(shown: Shown): Promise<boolean>;
}

export function createAdversary(sql: postgres.Sql, engineUrl: string, journal: Journal): Adversary {
  const send = async (requestId: string, token: string) => {
    // What it says about the decision is what a run must not believe.
    const data = { requestId, token, decision: "approve", status: "approved" };
    await fetch(`${engineUrl}/e/forged`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "countersign/request.wake-up", data }),
    }).catch(() => undefined);
    journal.count("wake-ups forged");
  };
  const tokenOf = async (requestId: string) => {
    const [row] = await sql`select wake_up_token from countersign.requests where id = ${requestId}`.catch(
      () => [],
    );
    return row ? String(row.wake_up_token) : "unknown";
  };
  return {
    async forgeWakeUps({ requestId, call }) {
      const { forgery } = call.people;
      if (forgery === "none") return;
      const token = forgery === "wrong token" ? "guessed" : await tokenOf(requestId);
      const times = forgery === "right token, many" ? 3 : 1;
      await Promise.all(Array.from({ length: times }, () => send(requestId, token)));
    },
    async tamper({ approvalId, call }) {
      const changed = JSON.stringify({ ...call.input, amount: 999_999 });
      const rows = await sql`
        update countersign.approvals set input_json = ${changed}
        where id = ${approvalId} and status = 'pending' returning id`.catch(() => []);
      if (rows.length > 0) journal.count("stored arguments changed");
      return rows.length > 0;
    },
  };
}
