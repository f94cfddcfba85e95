"use client";

import { useChat } from "@ai-sdk/react";
import type { ChatApproval } from "@countersign/chat/ai-sdk";
import { onDecidedElsewhere } from "@countersign/chat/ai-sdk/client";
import {
  DefaultChatTransport,
  isTextUIPart,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from "ai";
import { type FormEvent, useEffect } from "react";
import { CallCard } from "./call-card";

/** A message of `useChat` with Countersign's data part. */
type SupportMessage = UIMessage<unknown, { countersign: ChatApproval }>;

const api = "/api/chat";
const transport = new DefaultChatTransport<SupportMessage>({ api });

interface ChatProps {
  threadId: string;
  messages: SupportMessage[];
}

/** A conversation with the agents. A call that needs approval shows in it while it waits. */
export function Chat({ threadId, messages: before }: ChatProps) {
  const { messages, sendMessage, addToolApprovalResponse, resumeStream, status, error } = useChat({
    id: threadId,
    messages: before,
    resume: true,
    transport,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });

  useEffect(() => {
    if (status !== "ready") return undefined;
    return onDecidedElsewhere({ api, id: threadId, messages }, resumeStream);
  }, [status, threadId, messages, resumeStream]);

  function say(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get("message") ?? "");
    event.currentTarget.reset();
    void sendMessage({ text });
  }

  return (
    <>
      <h1>Chat</h1>
      <ol className="messages" aria-live="polite">
        {messages.map(({ id, role, parts }) => (
          <li key={id} className={role}>
            {parts.map((part, index) => {
              if (isTextUIPart(part)) {
                // biome-ignore lint/suspicious/noArrayIndexKey: parts are only added, and at the end
                return <p key={index}>{part.text}</p>;
              }
              if (part.type !== "data-countersign") return null;
              const { data } = part;
              const call = parts.find((one) => isToolUIPart(one) && one.toolCallId === data.toolCallId);
              const asked = call && isToolUIPart(call) && call.state === "approval-requested";
              return (
                <CallCard
                  key={data.approvalId}
                  call={data}
                  onDecide={
                    asked
                      ? (approved, reason) =>
                          addToolApprovalResponse({
                            id: data.approvalId,
                            approved,
                            ...(reason && { reason }),
                          })
                      : undefined
                  }
                />
              );
            })}
          </li>
        ))}
      </ol>
      {error && <p role="alert">{error.message}</p>}
      <form className="chat-form" onSubmit={say}>
        <input name="message" aria-label="Message" placeholder="Please refund order A-1001" required />
        <button type="submit" disabled={status === "submitted"}>
          Send
        </button>
      </form>
    </>
  );
}
