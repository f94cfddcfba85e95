import { useQuery } from "@tanstack/react-query";
import { useSearch } from "wouter";
import type { Insight } from "../api/records.js";
import { EmptyState } from "../components/empty-state.js";
import { ErrorNotice } from "../components/error-notice.js";
import { RowSkeletons } from "../components/skeletons.js";
import { useTitle } from "../data/browser/use-title.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { keys } from "../data/inbox/query-keys.js";
import { periodOf } from "../logic/insight/insight-rows.js";
import { Habits } from "./habits.js";
import { PeriodChoice } from "./period-choice.js";
import { Suggestions } from "./suggestions.js";
import { Waits } from "./waits.js";

/** How long calls wait for people, what people decide, and the rules that would follow. */
export default function InsightPage() {
  const { api } = useInbox();
  const days = periodOf(useSearch());
  useTitle("Insight");
  const insight = useQuery({
    queryKey: keys.insight(days),
    queryFn: ({ signal }) => api.getInsight({ query: { days }, signal }),
  });
  return (
    <section className="cs-page" aria-labelledby="insight">
      <header className="cs-page-head">
        <h1 id="insight">Insight</h1>
        <PeriodChoice days={days} />
      </header>
      {insight.isPending && <RowSkeletons />}
      {insight.isError && (
        <ErrorNotice error={insight.error} message={loadError} onRetry={() => void insight.refetch()} />
      )}
      {insight.data && <Loaded insight={insight.data} />}
    </section>
  );
}

const loadError = () => ({
  title: "The numbers could not be loaded",
  advice: "Nothing was changed. Try again in a moment.",
});

function Loaded({ insight }: { insight: Insight }) {
  const { asked, more, days } = insight;
  if (asked === 0) {
    return (
      <EmptyState title={`No call waited for people in the last ${days} days`}>
        <p>Choose a longer period, or come back when calls were decided.</p>
      </EmptyState>
    );
  }
  return (
    <div className="cs-insight">
      <p role="status">
        {`People were asked about ${asked.toLocaleString("en")} ${asked === 1 ? "call" : "calls"} in the last ${days} days.`}
        {more && " These are the latest ones. Older calls of this time are not counted."}
      </p>
      <Waits insight={insight} />
      <Habits insight={insight} />
      <Suggestions suggestions={insight.suggestions} />
    </div>
  );
}
