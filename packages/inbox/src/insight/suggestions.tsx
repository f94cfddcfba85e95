import { useId } from "react";
import { Link } from "wouter";
import type { Insight } from "../api/records.js";
import { SafeText } from "../components/safe-text.js";
import { exactTime } from "../logic/wording/exact-time.js";
import { CopyButton } from "./copy-button.js";

type Found = Extract<Insight["suggestions"], { state: "found" }>;
type Suggestion = Found["items"][number];

/** The rules that would follow from what people decided. Nothing here changes the policy. */
export function Suggestions({ suggestions }: { suggestions: Insight["suggestions"] }) {
  return (
    <section aria-labelledby="insight-rules">
      <h2 id="insight-rules">Rules that would follow</h2>
      {suggestions.state === "auditors_only" && (
        <p className="cs-hint">
          Only auditors see suggested rules, because they contain conditions of the policy.
        </p>
      )}
      {suggestions.state === "no_policy_files" && (
        <p className="cs-hint">Rules are suggested for policy files. The rules here are in code.</p>
      )}
      {suggestions.state === "found" && <FoundRules found={suggestions} />}
    </section>
  );
}

function FoundRules({ found: { items, learned, tested, testedSince } }: { found: Found }) {
  return (
    <>
      <p>
        Learned from {countOf(learned, "decided call")}, and tested on {countOf(tested, "call")} since{" "}
        <time dateTime={testedSince}>{exactTime(testedSince, Date.now(), "minute")}</time>. That people always
        decided in one way is no reason for a rule: ask them first. Nothing changes until you edit the policy
        file.
      </p>
      {items.length === 0 && (
        <p className="cs-hint">
          No rule follows yet. It takes at least 20 approved or 5 denied calls of a tool that have something
          in common which no other call has.
        </p>
      )}
      {items.map((item) => (
        <SuggestionCard key={`${item.tool} ${item.verdict}`} suggestion={item} />
      ))}
    </>
  );
}

function SuggestionCard({ suggestion }: { suggestion: Suggestion }) {
  const { tool, verdict, calls, examples, changes, tested } = suggestion;
  const id = useId();
  const did = verdict === "notify" ? "approved" : "denied";
  const would = verdict === "notify" ? "would run without a decision" : "would be denied at once";
  return (
    <article className="cs-suggestion" aria-labelledby={id}>
      <h3 id={id}>
        <code>
          <SafeText text={tool} />
        </code>
        : people {did} all {countOf(calls, "call")} like this
      </h3>
      <p>
        With this change, such calls {would}.{" "}
        {tested === 0
          ? "No later call has tested it."
          : `${countOf(tested, "later call")} ${tested === 1 ? "was" : "were"} decided in the same way.`}
      </p>
      {changes.map(({ file, rule, text }) => (
        <Change key={`${file} ${text}`} tool={tool} file={file} rule={rule} text={text} />
      ))}
      <p id={`${id}-calls`}>
        {calls > examples.length ? `The latest ${examples.length} of these calls:` : "These calls:"}
      </p>
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
  const label = rule === null ? `Add to ${file}:` : `In ${file}, set this condition in the rule ${rule}:`;
  return (
    <figure className="cs-change">
      <figcaption>
        <SafeText text={label} />
        <CopyButton
          text={text}
          what={rule === null ? `the new rule for ${tool}` : `the condition of ${rule}`}
        />
      </figcaption>
      <pre>
        <SafeText text={text} />
      </pre>
    </figure>
  );
}

function countOf(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
