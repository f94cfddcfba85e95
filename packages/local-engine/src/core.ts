import type { Registry } from "./apps/registry.js";
import type { Disorder } from "./disorder.js";
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
  /** Does what Inngest's server may do at any time; `undefined` for an engine that does everything once and in order. */
  readonly disorder: Disorder | undefined;
  now(): number;
}
