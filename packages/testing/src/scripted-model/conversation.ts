/** The wire format that a request came in. */
export type ModelFormat = "openai" | "anthropic";

/** One tool call as the model proposed it. `input` is parsed JSON. */
export interface ConversationToolCall {
  id: string;
  name: string;
  input: unknown;
}

export interface UserTurn {
  role: "user";
  text: string;
}

export interface AssistantTurn {
  role: "assistant";
  text?: string;
  toolCalls: ConversationToolCall[];
}

/** The answer to one tool call. `parsed` is there when `content` is JSON. */
export interface ToolTurn {
  role: "tool";
  toolCallId: string;
  toolName: string;
  content: string;
  parsed?: unknown;
}

export type ConversationTurn = UserTurn | AssistantTurn | ToolTurn;

export interface OfferedTool {
  name: string;
  description?: string;
  parameters?: unknown;
}

/** A model request in words that both formats share; what a script reads. */
export interface Conversation {
  format: ModelFormat;
  system: string;
  messages: ConversationTurn[];
  tools: OfferedTool[];
}
