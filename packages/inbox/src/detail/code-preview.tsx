import type { Approval } from "../api/approval.js";

/** Calls that the code among the arguments seems to make. */
export function CodePreview({ approval: { codePreview } }: { approval: Approval }) {
  if (!codePreview || codePreview.length === 0) return null;
  return (
    <div className="cs-code-preview">
      <h3>The code seems to call</h3>
      <ul className="cs-values">
        {codePreview.map(({ toolName, line, column }) => (
          <li key={`${line}:${column}`}>
            <code className="cs-mono">{toolName}</code> <small>line {line}</small>
          </li>
        ))}
      </ul>
      <p className="cs-hint">Read off the code without running it; it may call more than this.</p>
    </div>
  );
}
