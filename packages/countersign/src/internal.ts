/**
 * Without promise: for the other packages of this repository and for its tests. Any version may change or remove these
 * names. Applications use the other entry points.
 */

export { apiContext } from "./api/api-context.js";
export { decideByCall } from "./api/decide-by-call.js";
export { ownRoutes } from "./api/own-routes.js";
export { requestLimits } from "./api/request-limits.js";
export { approvalDigest } from "./approval/approval-digest.js";
export { defaultTerms } from "./approval/default-terms.js";
export { refusalSchema } from "./approval/refusal-text.js";
export { isNamed } from "./approval/who-decides.js";
export { toolVersion } from "./call/tool/tool-version.js";
export { createAttempt } from "./delivery/attempt.js";
export { signOutcome } from "./evidence/outcome-proof.js";
export { proposeCalls } from "./gate/propose-calls.js";
export { eventIdOf } from "./history/entry-body.js";
export { requestOf } from "./history/read-messages.js";
export { decidedCalls, recordedCalls } from "./insight/recorded-calls.js";
export { development } from "./instance/development.js";
export { events } from "./orchestrator/events.js";
export { publishOverdue } from "./orchestrator/publish-events.js";
export { migrationSql } from "./store/migrations/migrations.js";
export { type Store as StoreVerbs, storeVerbs } from "./store/store.js";
export { questioningCall } from "./ways/questions/questioning-call.js";
