import { ApprovalsApiError } from "countersign/client";
import { Link } from "wouter";
import { EmptyState } from "../components/empty-state.js";
import { ErrorNotice } from "../components/error-notice.js";
import { Icon } from "../components/icon.js";
import { DetailSkeleton } from "../components/skeletons.js";
import { useApproval } from "../data/approvals/use-approval.js";
import { words } from "../words/words.js";
import { ApprovalDetail } from "./approval-detail.js";
import { useFocusedHeading } from "./use-focused-heading.js";

export interface DetailPaneProps {
  id: string;
  /** The address of the list, for narrow screens. @default there is none */
  backHref?: string;
  /** Whether the heading takes the focus, and the call the title of the page. @default true */
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
        <Missing error={error} autoFocus={autoFocus} onRetry={() => void refetch()} />
      )}
    </section>
  );
}

interface MissingProps {
  error: unknown;
  autoFocus: boolean;
  onRetry: () => void;
}

function Missing({ error, autoFocus, onRetry }: MissingProps) {
  if (!error) return <DetailSkeleton />;
  const { title, advice, noAccess } = words.detail.missing;
  const problem = error instanceof ApprovalsApiError ? error.problem : undefined;
  if (problem?.status === 404) return <NotShown title={title} text={advice} autoFocus={autoFocus} />;
  if (problem?.status === 403) {
    return <NotShown title={noAccess} text={problem.detail} autoFocus={autoFocus} />;
  }
  return <ErrorNotice error={error} onRetry={onRetry} />;
}

/** Says in place of an approval why it is not shown. */
function NotShown({ title, text, autoFocus }: { title: string; text: string; autoFocus: boolean }) {
  const heading = useFocusedHeading(autoFocus);
  return (
    <EmptyState alone heading={heading} title={title}>
      <p>{text}</p>
    </EmptyState>
  );
}
