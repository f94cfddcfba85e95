import { ApprovalsApiError } from "countersign/client";
import { Link } from "wouter";
import { EmptyState } from "../components/empty-state.js";
import { ErrorNotice } from "../components/error-notice.js";
import { Icon } from "../components/icon.js";
import { DetailSkeleton } from "../components/skeletons.js";
import { useApproval } from "../data/approvals/use-approval.js";
import { ApprovalDetail } from "./approval-detail.js";

export interface DetailPaneProps {
  id: string;
  /** The address of the list, for narrow screens. */
  backHref: string;
}

/** Loads and shows one approval. */
export default function DetailPane({ id, backHref }: DetailPaneProps) {
  const { data, error, refetch } = useApproval(id);
  return (
    <section className="cs-detail-pane" aria-label="Approval">
      <Link className="cs-back" href={backHref}>
        <Icon name="back" />
        Back to list
      </Link>
      {data ? (
        <ApprovalDetail key={id} approval={data} />
      ) : (
        <Missing error={error} onRetry={() => void refetch()} />
      )}
    </section>
  );
}

function Missing({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  if (!error) return <DetailSkeleton />;
  if (error instanceof ApprovalsApiError && error.status === 404) {
    return (
      <EmptyState alone title="Approval not found">
        <p>It does not exist, or you do not have access to it.</p>
      </EmptyState>
    );
  }
  if (error instanceof ApprovalsApiError && error.status === 403) {
    return (
      <EmptyState alone title="You do not have access to this approval">
        <p>{error.problem.detail}</p>
      </EmptyState>
    );
  }
  return <ErrorNotice error={error} onRetry={onRetry} />;
}
