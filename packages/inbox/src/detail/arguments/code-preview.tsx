import type { Approval } from "../../api/approval.js";

/** Tools that code in the arguments appears to call. */
export function CodePreview({ approval: { codePreview } }: { approval: Approval }) {
  if (!codePreview || codePreview.length === 0) return null;
  return (
    <div className="cs-code-preview">
      <h3>This code appears to call</h3>
      <ul className="cs-values">
        {codePreview.map(({ toolName, line, column }) => (
          <li key={`${line}:${column}`}>
            <code className="cs-mono">{toolName}</code> <small>line {line}</small>
          </li>
        ))}
      </ul>
      <p className="cs-hint">Found by reading the code, not by running it. It may call other tools.</p>
    </div>
  );
}
