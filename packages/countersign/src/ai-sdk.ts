export type { AiTool } from "./ways/ai-sdk/ai-tool.js";
export {
  type DurableModelOptions,
  durableModel,
  type LanguageModelLike,
  type ModelSteps,
} from "./ways/ai-sdk/durable-model.js";
export { type FromAgentKit, fromAgentKit } from "./ways/ai-sdk/from-agent-kit.js";
export { guardTools } from "./ways/ai-sdk/guard-tools.js";
export type { GuardToolsOptions } from "./ways/ai-sdk/guard-tools-options.js";
export {
  type AiMessage,
  type AiText,
  type AiToolCall,
  type AiToolResult,
  modelMessages,
} from "./ways/ai-sdk/model-messages.js";
