import { type RefObject, useEffect, useMemo, useRef } from "react";
import { rememberConversation } from "../conversation-id.js";
import { announcementOf } from "./announcement.js";
import { Composer } from "./composer.js";
import { errorText } from "./error-text.js";
import { Message } from "./message.js";
import { type OpenCall, openCalls } from "./messages.js";
import { suggestions } from "./suggestions.js";
import { useDeskChat } from "./use-desk-chat.js";

interface ChatProps {
  threadId: string;
  onShowApproval: (approvalId: string) => void;
  onNewConversation: () => void;
  /** Gets the calls of the conversation that wait, with those that this page may not see. */
  onOpenCalls: (calls: readonly OpenCall[]) => void;
}

/** The left side: a chat with the agent, as the requester. */
export function Chat({ threadId, onShowApproval, onNewConversation, onOpenCalls }: ChatProps) {
  const chat = useDeskChat(threadId);
  const { messages, status, error, isLoading } = chat;
  const log = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const busy = status === "submitted" || status === "streaming";
  const open = useMemo(() => openCalls(messages), [messages]);
  useEffect(() => onOpenCalls(open), [open, onOpenCalls]);
  const waits = open.length > 0;
  const blocked = busy
    ? waits
      ? "The agent waits for a decision"
      : "The agent is working"
    : waits
      ? "The agent waits for your answer"
      : undefined;
  useScrolledToEnd(log, messages);
  const send = (text: string) => {
    // On a phone the focus in the field would open its keyboard.
    const next = window.matchMedia("(pointer: coarse)").matches ? log : field;
    next.current?.focus({ preventScroll: true });
    rememberConversation(threadId);
    void chat.sendMessage({ text });
  };
  return (
    <section className="column chat" aria-labelledby="chat-heading">
      <header className="column-head">
        <div>
          <h2 id="chat-heading">Ask the agent</h2>
          <p>You are the requester: you ask, but you cannot approve.</p>
        </div>
        {messages.length > 0 && (
          <button
            type="button"
            className="cs-button"
            data-tone="quiet"
            onClick={() => {
              void chat.stop();
              onNewConversation();
            }}
          >
            New conversation
          </button>
        )}
      </header>
      {/* Announced by the status below, as its countdowns would be read each second. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it */}
      <div ref={log} className="log" role="log" aria-live="off" aria-label="Conversation" tabIndex={0}>
        {!isLoading && messages.length === 0 && <Suggestions onChoose={send} blocked={blocked} />}
        {messages.map((message) => (
          <Message
            key={message.id}
            message={message}
            onShowApproval={onShowApproval}
            onAnswer={
              busy || message !== messages.at(-1)
                ? undefined
                : (toolCallId, output) =>
                    void chat.addToolOutput({ tool: "request_human_input", toolCallId, output })
            }
            onDecide={
              busy || message !== messages.at(-1)
                ? undefined
                : (id, approved) => void chat.addToolApprovalResponse({ id, approved })
            }
          />
        ))}
        {busy && !waits && (
          <p className="typing" aria-hidden="true">
            <i />
            <i />
            <i />
          </p>
        )}
        {error !== null && error !== undefined && (
          <div className="chat-error" role="alert">
            <p>{errorText(error)}</p>
            <button type="button" className="cs-button" data-tone="plain" onClick={() => void chat.reload()}>
              Reconnect
            </button>
          </div>
        )}
      </div>
      <p className="cs-visually-hidden" role="status">
        {announcementOf(messages)}
      </p>
      {messages.length > 0 && (
        <details className="more">
          <summary>More to try</summary>
          <Suggestions onChoose={send} blocked={blocked} />
        </details>
      )}
      <Composer field={field} blocked={blocked} onSend={send} />
    </section>
  );
}

function Suggestions({
  onChoose,
  blocked,
}: {
  onChoose: (text: string) => void;
  blocked: string | undefined;
}) {
  return (
    <ul className="suggestions" aria-label="Suggestions">
      {suggestions.map(({ text, note }) => (
        <li key={text}>
          <button
            type="button"
            aria-disabled={blocked ? true : undefined}
            onClick={(event) => {
              if (blocked) return;
              event.currentTarget.closest("details")?.removeAttribute("open");
              onChoose(text);
            }}
          >
            <span>{text}</span>
            <small>{note}</small>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Keeps the end in view as the content grows, unless the reader has scrolled up. */
function useScrolledToEnd(element: RefObject<HTMLElement | null>, content: unknown): void {
  const atEnd = useRef(true);
  useEffect(() => {
    const { current } = element;
    const note = () => {
      if (current) atEnd.current = current.scrollHeight - current.scrollTop - current.clientHeight < 80;
    };
    current?.addEventListener("scroll", note);
    return () => current?.removeEventListener("scroll", note);
  }, [element]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the content has changed
  useEffect(() => {
    const { current } = element;
    if (current && atEnd.current) current.scrollTop = current.scrollHeight;
  }, [element, content]);
}
