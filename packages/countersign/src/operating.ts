export { type ArchiveVerification, verifyArchive } from "./audit/verify-archive.js";
export type { RetainedKind, RetentionAges } from "./retention/ages.js";
export { type ForgetOptions, type ForgetReport, forget } from "./retention/forget.js";
export {
  type AuditArchive,
  type PruneOptions,
  type PruneReport,
  prune,
  type SealedPart,
} from "./retention/prune.js";
export type {
  HeldEntry,
  KeptData,
  PrunedKind,
  RemovedRows,
  SealablePart,
} from "./store/ports/retention-port.js";
