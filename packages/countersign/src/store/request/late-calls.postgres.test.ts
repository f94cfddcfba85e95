import { eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import { expect, it } from "vitest";
import { freshPostgres } from "../../../../../tests/support/databases.js";
import { proposeCall } from "../../../../../tests/support/proposals.js";
import { postgresStore } from "../../../../../tests/support/store.js";
import { externalToolVersion } from "../../approval/external-tool-version.js";
import { approvals, requests } from "../schema.js";
import { isStale, lateFrom } from "./late-calls.js";

const hourMs = 3_600_000;
const start = Date.parse("2026-01-02T03:04:05.678Z");
const at = (hours: number | null) => (hours === null ? null : new Date(start + hours * hourMs));

/** When calls were decided and their requests settled, in hours from a start, and their timeouts in hours. */
const cases = [null, 0, 5].flatMap((decided) =>
  [null, 0, 3, 9].flatMap((settled) =>
    [1, 24, 100].flatMap((timeout) =>
      [externalToolVersion, "v1"].map((toolVersion) => ({
        ...{ decidedAt: at(decided), settledAt: at(settled), timeoutMs: timeout * hourMs, toolVersion },
      })),
    ),
  ),
);

it("a call is late by the same time in SQL and in TypeScript", async () => {
  await using database = await freshPostgres(2);
  const store = postgresStore({ url: database.url });
  await store.migrate();
  const [call] = await proposeCall(store);
  await store.close();
  if (!call) throw new Error("nothing was proposed");
  const db = drizzle(database.admin);
  for (const { settledAt, ...columns } of cases) {
    await db.update(requests).set({ settledAt }).where(eq(requests.id, call.requestId));
    const [row] = await db.update(approvals).set(columns).where(eq(approvals.id, call.id)).returning();
    const late = row && lateFrom(row, settledAt);
    const from = late?.getTime() ?? start;
    const times = [-1, 0, 1, 1_000 * hourMs].map((ms) => new Date(from + ms));
    const stale = times.map((time) => isStale(sql<Date>`${time.toISOString()}::timestamptz`));
    const [inSql] = await db.select(Object.fromEntries(stale.entries())).from(approvals);
    const judged = times.map((time) => late !== undefined && time > late);
    expect(Object.values(inSql ?? {}), JSON.stringify({ settledAt, ...columns })).toEqual(judged);
  }
});
