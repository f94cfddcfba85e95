import type { Sql } from "postgres";

const tables = [
  "countersign.requests",
  "countersign.approvals",
  "local_engine.run",
  "local_engine.step",
  "local_engine.wait",
];

/**
 * Copies a waiting run, row by row: its request, its approval, its orchestrator, and the engine's rows of them. Each
 * copied id gets a number appended.
 *
 * @param ids The ids of the runs, the request and the approval.
 */
export async function copyWaitingRun(
  admin: Sql,
  ids: readonly string[],
  numbers: { from: number; to: number },
): Promise<void> {
  const isOriginal = `row ~ '(${ids.join("|")})' and row !~ '(${ids.join("|")})-[0-9]'`;
  const numbered = ids.reduce((text, id) => `replace(${text}, '${id}', '${id}-' || n)`, "row");
  await admin.begin(async (tx) => {
    for (const table of tables) {
      // The engine's waits have ids of their own.
      const ownId =
        table === "local_engine.wait" ? "|| jsonb_build_object('id', row::jsonb->>'id' || '-' || n)" : "";
      await tx.unsafe(
        `with originals as materialized (
           select row from (select to_jsonb(t)::text as row from ${table} t) every_row where ${isOriginal})
         insert into ${table}
         select copy.* from originals, generate_series(${numbers.from}, ${numbers.to}) n,
           lateral jsonb_populate_record(null::${table}, (${numbered})::jsonb ${ownId}) copy`,
      );
    }
  });
  await admin.unsafe("analyze");
}
