/** The tool calls in code that a model writes, as `codePreview` shows them: `@countersign/policy/code`. Loads a parser. */
export { type ExtractedToolCall, extractToolCalls } from "./policy/code-preview.js";
