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
import { words } from "../words/words.js";
import { Habits } from "./habits.js";
import { PeriodChoice } from "./period-choice.js";
import { Suggestions } from "./suggestions.js";
import { Waits } from "./waits.js";

/** How long calls wait for people, what people decide, and the rules that would follow. */
export default function InsightPage() {
  const { api } = useInbox();
  const days = periodOf(useSearch());
  useTitle(words.insight.title);
  const insight = useQuery({
    queryKey: keys.insight(days),
    queryFn: ({ signal }) => api.getInsight({ query: { days }, signal }),
  });
  return (
    <section className="cs-page" aria-labelledby="insight">
      <header className="cs-page-head">
        <h1 id="insight">{words.insight.title}</h1>
        <PeriodChoice days={days} />
      </header>
      {insight.isPending && <RowSkeletons />}
      {insight.isError && (
        <ErrorNotice
          error={insight.error}
          message={() => words.insight.loadFailed}
          onRetry={() => void insight.refetch()}
        />
      )}
      {insight.data && <Loaded insight={insight.data} />}
    </section>
  );
}

function Loaded({ insight }: { insight: Insight }) {
  const { asked, more, days } = insight;
  if (asked === 0) {
    return (
      <EmptyState title={words.insight.none.title(days)}>
        <p>{words.insight.none.advice}</p>
      </EmptyState>
    );
  }
  return (
    <div className="cs-insight">
      <p role="status">
        {words.insight.asked(asked, days)}
        {more && ` ${words.insight.more}`}
      </p>
      <Waits insight={insight} />
      <Habits insight={insight} />
      <Suggestions suggestions={insight.suggestions} />
    </div>
  );
}
