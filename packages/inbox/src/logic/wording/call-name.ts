import type { Approval } from "../../api/approval.js";
import type { KindOfCall } from "../../words/en/kind.js";

type Named = Pick<Approval, "label" | "toolName">;

/** What people read in place of a tool's name: what the rules call its requests, or else the name. */
export function callName({ label, toolName }: Named): string {
  return label ?? toolName;
}

/** What a request is called, for the texts about its kind. */
export function kindOfCall(call: Named): KindOfCall {
  return { label: call.label, name: callName(call) };
}
