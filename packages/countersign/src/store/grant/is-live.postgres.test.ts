import { and, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import { expect, it } from "vitest";
import { freshPostgres } from "../../../../../tests/support/databases.js";
import { readAt, readPlus, someGrant } from "../../testing/some-call-seen.js";
import { grants } from "../schema.js";
import { isLive } from "./is-live.js";

const cases = [null, -1, 0, 1].flatMap((revoked) =>
  [-1, 0, 1].flatMap((expires) =>
    [null, 0, 1].map((usesLeft) => ({
      ...{ revokedAt: revoked === null ? null : readPlus(revoked), expiresAt: readPlus(expires), usesLeft },
      isLive: revoked === null && expires > 0 && usesLeft !== 0,
    })),
  ),
);

it("a grant is live by the same rule in a verb's statements and in the function that counts them", async () => {
  await using database = await freshPostgres(1);
  const db = drizzle(database.admin);
  const now = sql<Date>`${readAt.toISOString()}::timestamptz`;
  for (const [index, { isLive: expected, ...columns }] of cases.entries()) {
    const tenantId = `tenant_${index}`;
    await db.insert(grants).values(someGrant({ id: `grt_${index}`, tenantId, ...columns }));
    const found = await db.$count(grants, and(eq(grants.tenantId, tenantId), isLive({ now })));
    const [counted] = await db.execute(sql`select countersign.live_grants(${tenantId}, ${now}) as live`);
    expect({ found, counted: Number(counted?.live) }, JSON.stringify(columns)).toEqual({
      found: Number(expected),
      counted: Number(expected),
    });
  }
});
