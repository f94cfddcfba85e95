import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore } from "../support/store.js";

it("concurrent sweeps, withdrawals and decisions of many requests do not deadlock", async () => {
  await using database = await freshPostgres(40);
  const time = { offset: 0 };
  const store = postgresStore({ client: database.postgres, clockOffset: () => time.offset });
  await store.migrate();
  const people = Array.from({ length: 3 }, (_, index) => `person-${index}`);
  for (let round = 0; round < 5; round++) {
    const runId = `run_${randomUUID()}`;
    const proposals = Array.from({ length: 12 }, (_, index) =>
      // Every other request has expired when the concurrent calls begin.
      proposeCall(store, { runId, calls: 2, timeoutMs: index % 2 ? 1000 : 86_400_000 }),
    );
    const calls = (await Promise.all(proposals)).flat();
    time.offset += 5 * 60_000;
    const decisions = calls.flatMap((call) =>
      people.map((id) =>
        store.decide({
          approvalId: call.id,
          principal: { id, tenantId: "acme", roles: [] },
          type: "deny",
          digest: call.digest,
          reason: null,
        }),
      ),
    );
    const ended = await Promise.allSettled([
      store.sweep(),
      store.withdrawRun(runId, "run_failed"),
      ...decisions,
      store.withdrawRun(runId, "run_cancelled"),
      store.sweep(),
    ]);
    expect(ended.flatMap((result) => (result.status === "rejected" ? [result.reason] : []))).toEqual([]);
    for (const call of calls) {
      const status = (await store.getApproval("acme", call.id))?.status;
      expect(["denied", "expired", "withdrawn"]).toContain(status);
    }
  }
});
