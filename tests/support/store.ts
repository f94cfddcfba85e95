// The store with its verbs, which tests call and the public API does not show.
import { pgliteStore as openPglite, type PgliteStoreOptions } from "countersign/pglite";
import { postgresStore as openPostgres, type PostgresStoreOptions } from "countersign/postgres";
import { type Store, storeVerbs } from "../../packages/countersign/dist/store/store.js";

export { type Store, storeVerbs };

export const postgresStore = (options: PostgresStoreOptions): Store => storeVerbs(openPostgres(options));

export const pgliteStore = (options?: PgliteStoreOptions): Store => storeVerbs(openPglite(options));
