import type { Approval } from "../api/approval.js";
import { Icon } from "../components/icon.js";
import { SafeText } from "../components/safe-text.js";
import { messageText } from "../logic/wording/message-text.js";
import { words } from "../words/words.js";

/** The model's text, visibly separate from the facts. */
export function ConversationExcerpt({ approval: { context } }: { approval: Approval }) {
  const messages = context?.messages ?? [];
  if (!context || (context.modelText === null && messages.length === 0)) return null;
  const texts = words.detail.conversation;
  return (
    <section className="cs-agent-text" aria-labelledby="agent-words">
      <h2 id="agent-words">{texts.title}</h2>
      <p className="cs-agent-warning">
        <Icon name="info" />
        {texts.notVerified}
      </p>
      {context.modelText !== null && (
        <blockquote>
          <SafeText text={context.modelText} />
        </blockquote>
      )}
      {messages.length > 0 && (
        <details>
          <summary>{texts.before}</summary>
          <ol>
            {messages.map((message, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: messages have no id and never move
              <li key={index}>
                <b>{texts.roles[message.role]}</b>
                <span>
                  <SafeText text={messageText(message)} />
                </span>
              </li>
            ))}
          </ol>
        </details>
      )}
    </section>
  );
}
