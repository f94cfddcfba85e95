export { createTestHarness } from "./create-test-harness.js";
export type { ScriptedAdapter } from "./model-of-format.js";
export type {
  CallFilter,
  HarnessParts,
  Requester,
  SayOptions,
  TestHarnessOptions,
  TestPerson,
} from "./options.js";
export type { Choice, Outcome, UndoChoice } from "./people.js";
export { prepareTestHarness } from "./prepare-test-harness.js";
export type { PlannedFault } from "./simulated-process.js";
export type { AtLeast, StartedRun, StartedTurn } from "./started-run.js";
export type { TestHarness } from "./test-harness.js";
export type {
  EventFate,
  Redeployed,
  Replaying,
  RequestHandler,
  RequestHook,
  SentEvent,
  UnstableHarness,
  UnstableOptions,
} from "./unstable.js";
