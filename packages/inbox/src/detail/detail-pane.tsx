import { Link } from "wouter";
import { ApiError } from "../api/api-error.js";
import { Banner } from "../components/banner.js";
import { Button } from "../components/button.js";
import { EmptyState } from "../components/empty-state.js";
import { ErrorNotice } from "../components/error-notice.js";
import { Icon } from "../components/icon.js";
import { DetailSkeleton } from "../components/skeletons.js";
import { useApproval } from "../data/use-approval.js";
import { ApprovalDetail } from "./approval-detail.js";

export interface DetailPaneProps {
  id: string;
  /** Where the list is, for narrow screens. */
  backHref: string;
}

/** One approval, from its address. */
export default function DetailPane({ id, backHref }: DetailPaneProps) {
  const { data, partial, error, refetch } = useApproval(id);
  return (
    <section className="cs-detail-pane" aria-label="Approval">
      <Link className="cs-back" href={backHref}>
        <Icon name="back" />
        Back to the list
      </Link>
      {partial && (
        <Banner
          tone="warning"
          icon="offline"
          title="Not all of this could be loaded"
          actions={<Button onClick={() => void refetch()}>Try again</Button>}
        >
          What the agent said is missing.
        </Banner>
      )}
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
  if (error instanceof ApiError && error.status === 404) {
    return (
      <EmptyState alone title="There is nothing here for you">
        <p>This approval does not exist, or you may neither decide it nor have asked for it.</p>
      </EmptyState>
    );
  }
  if (error instanceof ApiError && error.status === 403) {
    return (
      <EmptyState alone title="This is not for you to see">
        <p>{error.problem.detail}</p>
      </EmptyState>
    );
  }
  return <ErrorNotice error={error} onRetry={onRetry} />;
}
