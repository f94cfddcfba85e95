export type {
  AssistantTurn,
  Conversation,
  ConversationToolCall,
  ConversationTurn,
  ModelFormat,
  OfferedTool,
  ToolTurn,
  UserTurn,
} from "./conversation.js";
export type { ModelServer } from "./listen.js";
export type { Reply } from "./reply.js";
export {
  type RecordedRequest,
  type ScriptedModel,
  type ScriptedModelOptions,
  scriptedModel,
} from "./scripted-model.js";
