/** Approvals in a chat with the AI SDK's `useChat`: `@countersign/chat/ai-sdk`. */
export type { ApiEnv, RateLimit } from "countersign/hono";
export { aiSdkChat, uiMessages } from "./ai-sdk/ai-sdk-chat.js";
export type {
  ChatPart,
  ChatToolCall,
  ChatToolPart,
  ChatToolState,
  ChatUIMessage,
  ChatVerdict,
} from "./ai-sdk/ui-messages.js";
export type { ChatMessage, ChatOptions } from "./turn/chat-app.js";
export type { ApprovalDescriptor, ChatApproval } from "./turn/chat-approval.js";
