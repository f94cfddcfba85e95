import { errorWords } from "../api/error-words.js";
import { Banner } from "./banner.js";
import { Button } from "./button.js";

interface ErrorNoticeProps {
  error: unknown;
  onRetry?: (() => void) | undefined;
}

/** A failure: what happened, what was not lost, what to do. */
export function ErrorNotice({ error, onRetry }: ErrorNoticeProps) {
  const { title, advice } = errorWords(error);
  return (
    <Banner
      tone="danger"
      icon="high"
      title={title}
      urgent
      actions={onRetry && <Button onClick={onRetry}>Try again</Button>}
    >
      {advice}
    </Banner>
  );
}
