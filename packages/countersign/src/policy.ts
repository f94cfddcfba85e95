export { type ExtractedToolCall, extractToolCalls } from "./policy/code-preview.js";
export type { PolicySource } from "./policy/compile-policy.js";
export type { LayerDefault } from "./policy/evaluate.js";
export type { FileLayer } from "./policy/files/file-format.js";
export { type LivePolicy, type OpenPolicyOptions, openPolicy } from "./policy/files/live-policy.js";
export {
  type ParsedPolicyFile,
  type PolicyFileOptions,
  parsePolicyFile,
} from "./policy/files/policy-file.js";
export { formatProblem, type PolicyProblem } from "./policy/files/policy-problem.js";
export {
  type EvalProfileConfig,
  type EvaluationConfig,
  getDisposition,
  ToolDisposition,
} from "./policy/formats/profile-config.js";
