// What an operator does in code: old data goes, sealed and archived, and what is left is verified.
import { forget, prune, verifyArchive } from "@countersign/cli/operating";
import { createCountersign, definePolicy } from "countersign";
import { pgliteStore } from "countersign/pglite";
import { Inngest } from "inngest";

let daysAgo = 400;
const store = pgliteStore({ clockOffset: () => -daysAgo * 86_400_000 });
await store.migrate();
const countersign = createCountersign({
  inngest: new Inngest({ id: "shop", isDev: true }),
  store,
  policy: definePolicy({ tools: {} }),
  signingKey: "a-secret-of-at-least-thirty-two-bytes",
});
const eve = { id: "eve", tenantId: "acme", roles: [] };
await countersign.threads.open({ owner: eve });
const { kept } = await forget(countersign, { tenantId: "acme", personId: "eve" });

daysAgo = 0;
const archived = [];
const { removed, sealed } = await prune(countersign, {
  olderThan: { threads: "180d", audit: "1y" },
  archive: async ({ lines }) => archived.push(...(await verifyArchive(lines))),
});
const verified = await countersign.verifyAudit("acme");
console.log(
  JSON.stringify({
    kept: kept.threads,
    removed,
    sealed: sealed.map(({ lastPosition }) => lastPosition),
    archived: archived.map(({ ok, entries }) => ({ ok, entries })),
    verified: { ok: verified.ok, signed: verified.sealed?.map(({ signed }) => signed) },
  }),
);
await store.close();
