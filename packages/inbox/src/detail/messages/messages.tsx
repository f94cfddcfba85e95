import { useId } from "react";
import type { Message } from "../../api/records.js";
import { Banner } from "../../components/banner.js";
import { Button } from "../../components/button.js";
import { ErrorNotice } from "../../components/error-notice.js";
import { SafeText } from "../../components/safe-text.js";
import { useMessages, useSendAgain } from "../../data/approvals/use-messages.js";
import { useMe } from "../../data/people/use-me.js";
import { messageEvent, messagePlace, messageState } from "../../logic/wording/message-state.js";
import { words } from "../../words/words.js";

/** The messages of channels about an approval. Renders nothing if there are none, or if they could not be loaded. */
export function Messages({ approvalId }: { approvalId: string }) {
  const messages = useMessages(approvalId).data ?? [];
  const again = useSendAgain(approvalId);
  const operates = useMe().data?.can.stop === true;
  const title = useId();
  if (messages.length === 0) return null;
  const texts = words.detail.records.messages;
  const failed = messages.filter(({ state }) => state === "failed").length;
  return (
    <>
      {failed > 0 && (
        <Banner tone="warning" icon="high" title={texts.undelivered(failed)}>
          {operates ? texts.seeReason : texts.mayNotKnow}
        </Banner>
      )}
      <details className="cs-trail">
        <summary id={title}>{texts.title(messages.length)}</summary>
        <ul className="cs-messages" aria-labelledby={title}>
          {messages.map((message) => (
            <MessageRow
              key={message.id}
              message={message}
              sending={again.isPending && again.variables === message.id}
              onSend={operates && canSendAgain(message) ? () => again.mutate(message.id) : undefined}
            />
          ))}
        </ul>
        {again.isError && <ErrorNotice error={again.error} />}
      </details>
    </>
  );
}

interface MessageRowProps {
  message: Message;
  sending: boolean;
  onSend: (() => void) | undefined;
}

function MessageRow({ message, sending, onSend }: MessageRowProps) {
  const place = messagePlace(message);
  const texts = words.detail.records.messages;
  return (
    <li data-state={message.state}>
      <span className="cs-message-words">
        <b>
          <SafeText text={place} />
        </b>
        <span>{messageEvent(message)}</span>
        <span className="cs-message-state">{messageState(message)}</span>
        {message.lastError !== null && message.state !== "sent" && (
          <span>
            <SafeText text={message.lastError} />
          </span>
        )}
      </span>
      {onSend && (
        <Button blocked={sending ? texts.sendingAgain : undefined} onClick={onSend}>
          {texts.sendAgain}
          <span className="cs-visually-hidden"> {texts.to(place)}</span>
        </Button>
      )}
    </li>
  );
}

function canSendAgain({ state }: Message): boolean {
  return state === "failed" || state === "abandoned";
}
