import type { Approval } from "../../api/approval.js";

/** What people read in place of a tool's name: what the rules call its calls, or else the name. */
export function callName({ label, toolName }: Pick<Approval, "label" | "toolName">): string {
  return label ?? toolName;
}
