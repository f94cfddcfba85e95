import type { Approval } from "../api/approval.js";
import { SafeText } from "./safe-text.js";

/** What the rules call a call, with the tool's name as a tooltip; without a label, the tool's name. */
export function ToolName({ call: { label, toolName } }: { call: Pick<Approval, "label" | "toolName"> }) {
  if (label === null) return <code>{toolName}</code>;
  return (
    <span title={toolName}>
      <SafeText text={label} />
    </span>
  );
}
