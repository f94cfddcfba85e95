export type { AppHandler } from "./apps/registry.js";
export { type Clock, createTestClock, systemClock, type TestClock } from "./clock.js";
export {
  createLocalEngine,
  type InProcessApp,
  type LocalEngine,
  type LocalEngineOptions,
} from "./create-local-engine.js";
export type { DatabaseOption } from "./store/open-database.js";
