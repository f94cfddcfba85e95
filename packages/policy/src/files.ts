/** Policies in YAML or JSON files, loaded again when they change: `@countersign/policy/files`. */
export type { FileLayer } from "./policy/files/file-format.js";
export { type LivePolicy, type OpenPolicyOptions, openPolicy } from "./policy/files/live-policy.js";
export {
  type ParsedPolicyFile,
  type PolicyFileOptions,
  parsePolicyFile,
} from "./policy/files/policy-file.js";
export { formatProblem, type PolicyProblem } from "./policy/files/policy-problem.js";
