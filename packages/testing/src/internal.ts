/** Without promise: for tests of this repository. Any version may change or remove these names. */
export { openMigratedPglite } from "./test-harness/migrated-image.js";
