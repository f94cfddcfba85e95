import { useId } from "react";
import { Link } from "wouter";
import type { Insight } from "../api/records.js";
import { FilledText } from "../components/filled-text.js";
import { SafeText } from "../components/safe-text.js";
import { exactTime } from "../logic/wording/exact-time.js";
import { words } from "../words/words.js";
import { CopyButton } from "./copy-button.js";

type Found = Extract<Insight["suggestions"], { state: "found" }>;
type Suggestion = Found["items"][number];

/** The rules that would follow from what people decided. Nothing here changes the policy. */
export function Suggestions({ suggestions }: { suggestions: Insight["suggestions"] }) {
  return (
    <section aria-labelledby="insight-rules">
      <h2 id="insight-rules">{words.insight.rules.title}</h2>
      {suggestions.state === "auditors_only" && <p className="cs-hint">{words.insight.rules.auditorsOnly}</p>}
      {suggestions.state === "no_policy_files" && (
        <p className="cs-hint">{words.insight.rules.noPolicyFiles}</p>
      )}
      {suggestions.state === "found" && <FoundRules found={suggestions} />}
    </section>
  );
}

function FoundRules({ found: { items, learned, tested, testedSince } }: { found: Found }) {
  return (
    <>
      <p>
        <FilledText
          text={words.insight.rules.basis(learned, tested)}
          parts={{
            time: <time dateTime={testedSince}>{exactTime(testedSince, Date.now(), "minute")}</time>,
          }}
        />
      </p>
      {items.length === 0 && <p className="cs-hint">{words.insight.rules.none}</p>}
      {items.map((item) => (
        <SuggestionCard key={`${item.tool} ${item.verdict}`} suggestion={item} />
      ))}
    </>
  );
}

function SuggestionCard({ suggestion }: { suggestion: Suggestion }) {
  const { tool, verdict, calls, examples, changes, tested } = suggestion;
  const id = useId();
  const texts = words.insight.rules;
  return (
    <article className="cs-suggestion" aria-labelledby={id}>
      <h3 id={id}>
        <FilledText
          text={texts.decidedAlike[verdict](calls)}
          parts={{
            tool: (
              <code>
                <SafeText text={tool} />
              </code>
            ),
          }}
        />
      </h3>
      <p>
        {texts.effect[verdict]} {tested === 0 ? texts.untested : texts.tested(tested)}
      </p>
      {changes.map(({ file, rule, text }) => (
        <Change key={`${file} ${text}`} tool={tool} file={file} rule={rule} text={text} />
      ))}
      <p id={`${id}-calls`}>{calls > examples.length ? texts.latestCalls(examples.length) : texts.calls}</p>
      <ul className="cs-suggestion-calls" aria-labelledby={`${id}-calls`}>
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

/** What to write into a file. */
function Change({ tool, file, rule, text }: Suggestion["changes"][number] & { tool: string }) {
  const { addTo, setIn, copyRule, copyCondition } = words.insight.rules;
  return (
    <figure className="cs-change">
      <figcaption>
        <SafeText text={rule === null ? addTo(file) : setIn(file, rule)} />
        <CopyButton text={text} label={rule === null ? copyRule(tool) : copyCondition(rule)} />
      </figcaption>
      <pre>
        <SafeText text={text} />
      </pre>
    </figure>
  );
}
