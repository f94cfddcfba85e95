/** Without promise: for tests of this repository. Any version may change or remove these names. */
export { retentionVerbs } from "./operating/retention-verbs.js";
export { runCli } from "./run-cli.js";
