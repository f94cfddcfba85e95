/** A text of the user, the model or the system, as AgentKit keeps it. */
export interface TextMessage {
  type: "text";
  role: "system" | "user" | "assistant";
  content: string | { type: "text"; text: string }[];
  stop_reason?: "tool" | "stop";
}

/** One call that a model makes. */
export interface ToolMessage {
  type: "tool";
  id: string;
  name: string;
  input: Record<string, unknown>;
}

/** The calls of one response. */
export interface ToolCallMessage {
  type: "tool_call";
  role: "user" | "assistant";
  tools: ToolMessage[];
  stop_reason: "tool";
}

/** The result of one call. */
export interface ToolResultMessage {
  type: "tool_result";
  role: "tool_result";
  tool: ToolMessage;
  content: unknown;
  stop_reason: "tool";
}

/** A message of a conversation, in the form of AgentKit's messages, in which threads are stored. */
export type Message = TextMessage | ToolCallMessage | ToolResultMessage;

/** What a model said, the calls that it made, and their results. */
export interface ModelResponse {
  agentName: string;
  output: Message[];
  toolCalls: ToolResultMessage[];
}
