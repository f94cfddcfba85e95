import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Insight } from "../api/records.js";
import { ErrorNotice } from "../components/error-notice.js";
import { RowSkeletons } from "../components/skeletons.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { keys } from "../data/inbox/query-keys.js";
import type { Period } from "../logic/insight/insight-rows.js";
import { words } from "../words/words.js";

interface InsightDataProps {
  days: Period;
  children: (insight: Insight) => ReactNode;
}

/** What people decided in a period, once it is loaded. */
export function InsightData({ days, children }: InsightDataProps) {
  const { api } = useInbox();
  const { data, isError, error, refetch } = useQuery({
    queryKey: keys.insight(days),
    queryFn: ({ signal }) => api.getInsight({ query: { days }, signal }),
  });
  if (data) return children(data);
  if (!isError) return <RowSkeletons />;
  return (
    <ErrorNotice error={error} message={() => words.insight.loadFailed} onRetry={() => void refetch()} />
  );
}
