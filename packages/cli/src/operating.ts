export type { RetainedKind, RetentionAges } from "./operating/ages.js";
export { type ForgetOptions, type ForgetReport, forget } from "./operating/forget.js";
export {
  type AuditArchive,
  type Operated,
  type PruneOptions,
  type PruneReport,
  prune,
  type SealedPart,
} from "./operating/prune.js";
export type {
  HeldEntry,
  KeptData,
  PrunedKind,
  RemovedRows,
  SealablePart,
} from "./operating/retention-port.js";
export { type ArchiveVerification, verifyArchive } from "./operating/verify-archive.js";
