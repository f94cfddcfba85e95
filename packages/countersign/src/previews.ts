/** Ready-made previews, which find out what a call would change: `countersign/previews`. */
export type { Effect } from "@countersign/policy/display";
export type { Reversible } from "@countersign/policy/internal/previews/reversible";
export type { Preview, PreviewContext, PreviewResult } from "./previews/preview.js";
export { type HttpDryRunOptions, httpDryRun } from "./previews/ready/http-dry-run.js";
export {
  type DrizzleDatabase,
  type DrizzleTransaction,
  type PostgresJsClient,
  type PostgresJsTransaction,
  type Rehearsal,
  type RolledBackOptions,
  rolledBack,
} from "./previews/ready/rolled-back.js";
export { type RowEffectsOptions, rowEffects } from "./previews/ready/row-effects.js";
export { textDiff } from "./previews/ready/text-diff.js";
