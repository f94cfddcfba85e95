import type { Approval } from "../../api/approval.js";
import { Heading } from "../../components/heading.js";
import { words } from "../../words/words.js";

/** Tools that code in the arguments appears to call. */
export function CodePreview({ approval: { codePreview } }: { approval: Approval }) {
  if (!codePreview || codePreview.length === 0) return null;
  const texts = words.detail.facts.code;
  return (
    <div className="cs-code-preview">
      <Heading step={2}>{texts.title}</Heading>
      <ul className="cs-values">
        {codePreview.map(({ toolName, line, column }) => (
          <li key={`${line}:${column}`}>
            <code className="cs-mono">{toolName}</code> <small>{texts.line(line)}</small>
          </li>
        ))}
      </ul>
      <p className="cs-hint">{texts.advice}</p>
    </div>
  );
}
