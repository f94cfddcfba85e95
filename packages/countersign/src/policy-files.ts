export { type ExtractedToolCall, extractToolCalls } from "./policy/code-preview.js";
export type { FileLayer } from "./policy/file-format.js";
export { type LivePolicy, type OpenPolicyOptions, openPolicy } from "./policy/live-policy.js";
export { type ParsedPolicyFile, type PolicyFileOptions, parsePolicyFile } from "./policy/policy-file.js";
export { formatProblem, type PolicyProblem } from "./policy/policy-problem.js";
