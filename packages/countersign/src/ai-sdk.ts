export type { AiTool } from "./ai-sdk-agents/ai-tool.js";
export {
  type DurableModelOptions,
  durableModel,
  type LanguageModelLike,
  type ModelSteps,
} from "./ai-sdk-agents/durable-model.js";
export { type FromAgentKit, fromAgentKit } from "./ai-sdk-agents/from-agent-kit.js";
export { guardTools } from "./ai-sdk-agents/guard-tools.js";
export type { GuardToolsOptions } from "./ai-sdk-agents/guard-tools-options.js";
export {
  type AiMessage,
  type AiText,
  type AiToolCall,
  type AiToolResult,
  modelMessages,
} from "./ai-sdk-agents/model-messages.js";
