export {
  createLocalEngine,
  type InProcessApp,
  type LocalEngine,
  type LocalEngineOptions,
} from "./create-local-engine.js";
export type { AppHandler } from "./protocol/app-handler.js";
export { type Clock, createTestClock, systemClock, type TestClock } from "./protocol/clock.js";
export {
  createRequestSourceCheck,
  type Refusal,
  type RequestSourceOptions,
} from "./requests/check-request-source.js";
export { isLoopback } from "./requests/loopback.js";
export type { DatabaseOption, PgliteClient } from "./store/connection/database-option.js";
export { migrationsHash } from "./store/migrations/migrations-hash.js";
