import { consoleLogger } from "@countersign/policy/internal/shared/logger";

/** SQL: whether unqualified names mean tables of Countersign. */
export const shadowsOwnTables = "'countersign' = any(current_schemas(false))";

/** Warns operators whose role resolves the unqualified names of the app's own tables in the schema `countersign`. */
export function warnOfSearchPath(): void {
  consoleLogger.warn(
    "The search_path of this database role contains the schema countersign, so unqualified names of your own tables, such as threads, mean Countersign's tables. The usual cause is a role named countersign. Run: alter role … set search_path = public",
  );
}
