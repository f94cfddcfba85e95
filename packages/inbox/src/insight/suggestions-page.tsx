import { useId, useState } from "react";
import { Link } from "wouter";
import type { Insight } from "../api/records.js";
import { Button } from "../components/button.js";
import { SafeText } from "../components/safe-text.js";
import { useTitle } from "../data/browser/use-title.js";
import { words } from "../words/words.js";
import { InsightData } from "./insight-data.js";

type Found = Extract<Insight["suggestions"], { state: "found" }>;
type Suggestion = Found["items"][number];

/** The rules that would follow from what people decided, to copy into a policy file. */
export default function SuggestionsPage() {
  const texts = words.insight.rules;
  const { suggestions: title, insight } = words.page.pages;
  useTitle(title);
  return (
    <section className="cs-page" aria-labelledby="suggestions">
      <header className="cs-page-head">
        <h1 id="suggestions">{title}</h1>
        <Link href="/insight">{insight}</Link>
      </header>
      <InsightData days="30">
        {({ suggestions }) =>
          suggestions.state === "found" ? (
            <FoundRules found={suggestions} />
          ) : (
            <p>{texts.missing[suggestions.state]}</p>
          )
        }
      </InsightData>
    </section>
  );
}

function FoundRules({ found: { items, learned, tested } }: { found: Found }) {
  const { basis, none } = words.insight.rules;
  return (
    <div className="cs-suggestions">
      <p>{basis(learned, tested)}</p>
      {items.length === 0 && <p>{none}</p>}
      {items.map((item) => (
        <SuggestedRule key={`${item.tool} ${item.verdict}`} suggestion={item} />
      ))}
    </div>
  );
}

function SuggestedRule({ suggestion }: { suggestion: Suggestion }) {
  const { tool, verdict, calls, examples, changes, tested } = suggestion;
  const id = useId();
  const texts = words.insight.rules;
  return (
    <article aria-labelledby={id}>
      <h2 id={id}>
        <SafeText text={texts.decidedAlike[verdict](tool, calls)} />
      </h2>
      <p>
        {texts.effect[verdict]} {texts.tested(tested)}
      </p>
      {changes.map((change) => (
        <Change key={`${change.file} ${change.text}`} change={change} />
      ))}
      <p id={`${id}-calls`}>{texts.latest}</p>
      <ul aria-labelledby={`${id}-calls`}>
        {examples.map((call) => (
          <li key={call.id}>
            <Link href={`/history/${call.id}`}>
              <SafeText text={call.summary} />
            </Link>
          </li>
        ))}
      </ul>
    </article>
  );
}

/** What to write into a file, and a button that copies it. */
function Change({ change: { file, rule, text } }: { change: Suggestion["changes"][number] }) {
  const id = useId();
  const [result, setResult] = useState("");
  const { addTo, setIn, copy, copied, notCopied } = words.insight.rules;
  const copyText = () =>
    navigator.clipboard.writeText(text).then(
      () => setResult(copied),
      () => setResult(notCopied),
    );
  return (
    <figure>
      <figcaption>
        <span id={id}>
          <SafeText text={rule === null ? addTo(file) : setIn(file, rule)} />
        </span>
        <Button tone="quiet" aria-describedby={id} onClick={() => void copyText()}>
          {copy}
        </Button>
        <span role="status">{result}</span>
      </figcaption>
      <pre>
        <SafeText text={text} />
      </pre>
    </figure>
  );
}
