export {
  type Choice,
  createTestHarness,
  type Outcome,
  type TestHarness,
  type TestHarnessOptions,
} from "./create-test-harness.js";
