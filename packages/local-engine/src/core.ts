import type { Registry } from "./apps/registry.js";
import type { Database } from "./store/connection/open-database.js";
import type { Writer } from "./store/writer.js";

/** The dependencies of all parts of the executor. */
export interface Core {
  readonly db: Database;
  readonly writer: Writer;
  readonly registry: Registry;
  readonly logger: Pick<Console, "warn" | "error">;
  readonly modelFetch: typeof fetch;
  readonly signingKey: string | undefined;
  /** How long ended runs and received events are kept; `undefined` for ever. */
  readonly retentionMs: number | undefined;
  now(): number;
}
