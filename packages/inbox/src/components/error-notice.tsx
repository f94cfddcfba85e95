import { type ErrorMessage, errorMessage } from "../logic/wording/error-message.js";
import { words } from "../words/words.js";
import { Banner } from "./banner.js";
import { Button } from "./button.js";

interface ErrorNoticeProps {
  error: unknown;
  /** The words for the error. @default those of a decision */
  message?: (error: unknown) => ErrorMessage;
  onRetry?: (() => void) | undefined;
}

/** An error as a banner: what happened, what was kept, and what to do. */
export function ErrorNotice({ error, message = errorMessage, onRetry }: ErrorNoticeProps) {
  const { title, advice } = message(error);
  return (
    <Banner
      tone="danger"
      icon="high"
      title={title}
      urgent
      actions={onRetry && <Button onClick={onRetry}>{words.common.tryAgain}</Button>}
    >
      {advice}
    </Banner>
  );
}
