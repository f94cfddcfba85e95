// The store with its verbs, which tests call and the public API does not show.

import { retentionVerbs } from "@countersign/cli/internal";
import { type StoreVerbs as Store, storeVerbs } from "countersign/internal";
import { pgliteStore as openPglite, type PgliteStoreOptions } from "countersign/pglite";
import { postgresStore as openPostgres, type PostgresStoreOptions } from "countersign/postgres";

export { retentionVerbs, type Store, storeVerbs };

export const postgresStore = (options: PostgresStoreOptions): Store => storeVerbs(openPostgres(options));

export const pgliteStore = (options?: PgliteStoreOptions): Store => storeVerbs(openPglite(options));
