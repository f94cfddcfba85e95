import { Link, useSearch } from "wouter";
import type { Insight } from "../api/records.js";
import { EmptyState } from "../components/empty-state.js";
import { useTitle } from "../data/browser/use-title.js";
import { periodOf } from "../logic/insight/insight-rows.js";
import { words } from "../words/words.js";
import { Habits } from "./habits.js";
import { InsightData } from "./insight-data.js";
import { PeriodChoice } from "./period-choice.js";
import { Waits } from "./waits.js";

/** How long calls wait for people, and what people decide. */
export default function InsightPage() {
  const days = periodOf(useSearch());
  useTitle(words.insight.title);
  return (
    <section className="cs-page" aria-labelledby="insight">
      <header className="cs-page-head">
        <h1 id="insight">{words.insight.title}</h1>
        <PeriodChoice days={days} />
      </header>
      <InsightData days={days}>{(insight) => <Loaded insight={insight} />}</InsightData>
    </section>
  );
}

function Loaded({ insight }: { insight: Insight }) {
  const { asked, more, days, suggestions } = insight;
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
      {suggestions.state === "found" && (
        <p>
          <Link href="/insight/suggestions">{words.page.pages.suggestions}</Link>
        </p>
      )}
    </div>
  );
}
