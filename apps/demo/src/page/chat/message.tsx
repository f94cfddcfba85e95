import { CallCard } from "./call-card.js";
import { type Call, type DeskMessage, itemsOf } from "./messages.js";
import { Question } from "./question.js";
import { shownText } from "./shown-text.js";
import { ToolLine } from "./tool-line.js";

interface MessageProps {
  message: DeskMessage;
  onShowApproval: (approvalId: string) => void;
  onAnswer: ((toolCallId: string, answer: unknown) => void) | undefined;
  onDecide: ((approvalId: string, approved: boolean) => void) | undefined;
}

/** One message with its texts and its calls. */
export function Message({ message, onShowApproval, onAnswer, onDecide }: MessageProps) {
  const call = (call: Call) => {
    if (call.toolName === "request_human_input") {
      return <Question call={call} onAnswer={onAnswer && ((answer) => onAnswer(call.id, answer))} />;
    }
    if (call.approval) return <CallCard call={call} onShowApproval={onShowApproval} onAnswer={onDecide} />;
    return <ToolLine call={call} />;
  };
  return (
    <div className="message" data-role={message.role}>
      <p className="cs-visually-hidden">{message.role === "user" ? "You:" : "Agent:"}</p>
      {itemsOf(message).map((item) =>
        item.kind === "text" ? (
          <p key={item.id} className="message-text">
            {shownText(item.text)}
          </p>
        ) : (
          <div key={item.id}>{call(item.call)}</div>
        ),
      )}
    </div>
  );
}
