import type { Approval, ContextMessage } from "../api/approval.js";
import { Heading } from "../components/heading.js";
import { Icon } from "../components/icon.js";
import { SafeText } from "../components/safe-text.js";
import { words } from "../words/words.js";

/** The model's text, visibly separate from the facts. Without one, only a fold with the conversation. */
export function ConversationExcerpt({ approval: { context } }: { approval: Approval }) {
  const messages = context?.messages ?? [];
  const modelText = context?.modelText ?? "";
  const texts = words.detail.conversation;
  const summary = texts.fold(messages.length);
  if (modelText.trim() === "") {
    if (messages.length === 0) return null;
    return (
      <details className="cs-trail">
        <summary>{summary}</summary>
        <div className="cs-agent-text">
          <p className="cs-agent-warning">
            <Icon name="info" />
            {texts.conversationNotVerified}
          </p>
          <Conversation messages={messages} />
        </div>
      </details>
    );
  }
  return (
    <section className="cs-agent-text" aria-labelledby="agent-words">
      <Heading step={1} id="agent-words">
        {texts.title}
      </Heading>
      <p className="cs-agent-warning">
        <Icon name="info" />
        {texts.notVerified}
      </p>
      <blockquote>
        <SafeText text={modelText} />
      </blockquote>
      {messages.length > 0 && (
        <details>
          <summary>{summary}</summary>
          <Conversation messages={messages} />
        </details>
      )}
    </section>
  );
}

function Conversation({ messages }: { messages: readonly ContextMessage[] }) {
  return (
    <ol>
      {messages.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no id and never move
        <li key={index}>
          <b>{words.detail.conversation.roles[message.role]}</b>
          <span>
            <SafeText text={messageText(message)} />
          </span>
        </li>
      ))}
    </ol>
  );
}

/** A message of the conversation as text. Tool calls are shown as their names and arguments. */
function messageText(message: ContextMessage): string {
  if ("toolCalls" in message) {
    return message.toolCalls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`).join("\n");
  }
  return typeof message.content === "string" ? message.content : JSON.stringify(message.content);
}
