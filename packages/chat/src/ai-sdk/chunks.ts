import type { ApprovalDescriptor, ChatApproval } from "../turn/chat-approval.js";

/** The chunks of the AI SDK's UI message stream that Countersign sends. They are the same in versions 6 and 7. */
export type Chunk =
  | { type: "start"; messageId: string }
  | { type: "start-step" }
  | { type: "finish-step" }
  | { type: "text-start"; id: string }
  | { type: "text-delta"; id: string; delta: string }
  | { type: "text-end"; id: string }
  | {
      type: "tool-input-available";
      toolCallId: string;
      toolName: string;
      input: unknown;
      title?: string;
      toolMetadata?: { countersign: { approvalId: string; digest: string } };
    }
  | {
      type: "tool-approval-request";
      approvalId: string;
      toolCallId: string;
      approvalDescriptor: ApprovalDescriptor;
      reason?: string;
    }
  | { type: "tool-output-available"; toolCallId: string; output: unknown }
  | { type: "tool-output-error"; toolCallId: string; errorText: string }
  | { type: "tool-output-denied"; toolCallId: string }
  | { type: "data-countersign"; id: string; data: ChatApproval }
  | { type: "error"; errorText: string }
  | { type: "finish"; finishReason: "stop" | "tool-calls" | "error" };

/** The stream's frames. */
export function frame(chunk: Chunk): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

export const lastFrame = "data: [DONE]\n\n";
