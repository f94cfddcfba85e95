export {
  type AssistantTurn,
  type Conversation,
  type ConversationToolCall,
  type ModelFormat,
  type ModelServer,
  type OfferedTool,
  type RecordedRequest,
  type Reply,
  type ScriptedModel,
  type ScriptedModelOptions,
  scriptedModel,
  type ToolTurn,
  type Turn,
  type UserTurn,
} from "./scripted-model/index.js";
export {
  type Choice,
  createTestHarness,
  type Outcome,
  type TestHarness,
  type TestHarnessOptions,
} from "./test-harness/index.js";
