import { Effect } from "./effect.js";
import type { Call } from "./messages.js";

/** A call that needed no approval, folded into a line. */
export function ToolLine({ call: { toolName, part } }: { call: Call }) {
  return (
    <details className="tool-line">
      <summary>
        <code>{toolName}</code>{" "}
        {part?.state === "output-error" ? "failed" : "ran by itself: the policy allows it"}
      </summary>
      {part?.input !== undefined && <Effect output={part.input} />}
      {part?.state === "output-available" && <Effect output={part.output} />}
      {part?.state === "output-error" && <p>{part.errorText}</p>}
    </details>
  );
}
