import { ApprovalsApiError } from "countersign/client";
import { Link } from "wouter";
import { EmptyState } from "../components/empty-state.js";
import { ErrorNotice } from "../components/error-notice.js";
import { Icon } from "../components/icon.js";
import { DetailSkeleton } from "../components/skeletons.js";
import { useApproval } from "../data/approvals/use-approval.js";
import { words } from "../words/words.js";
import { ApprovalDetail } from "./approval-detail.js";

export interface DetailPaneProps {
  id: string;
  /** The address of the list, for narrow screens. @default there is none */
  backHref?: string;
  /** Whether the heading takes the focus. @default true */
  autoFocus?: boolean;
}

/** Loads and shows one approval. */
export default function DetailPane({ id, backHref, autoFocus = true }: DetailPaneProps) {
  const { data, error, refetch } = useApproval(id);
  return (
    <section className="cs-detail-pane" aria-label={words.detail.label}>
      {backHref !== undefined && (
        <Link className="cs-back" href={backHref}>
          <Icon name="back" />
          {words.detail.back}
        </Link>
      )}
      {data ? (
        <ApprovalDetail key={id} approval={data} autoFocus={autoFocus} />
      ) : (
        <Missing error={error} onRetry={() => void refetch()} />
      )}
    </section>
  );
}

function Missing({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  if (!error) return <DetailSkeleton />;
  const texts = words.detail.missing;
  if (error instanceof ApprovalsApiError && error.status === 404) {
    return (
      <EmptyState alone title={texts.title}>
        <p>{texts.advice}</p>
      </EmptyState>
    );
  }
  if (error instanceof ApprovalsApiError && error.status === 403) {
    return (
      <EmptyState alone title={texts.noAccess}>
        <p>{error.problem.detail}</p>
      </EmptyState>
    );
  }
  return <ErrorNotice error={error} onRetry={onRetry} />;
}
