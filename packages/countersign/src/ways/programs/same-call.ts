import { hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import type { Approval } from "../../approval/approval.js";

/** Whether the approval is about exactly this tool and these arguments, whatever the order of their fields. */
export function isSameCall(
  approval: Pick<Approval, "toolName" | "inputJson">,
  { toolName, inputJson }: { toolName: string; inputJson: string },
): boolean {
  return (
    approval.toolName === toolName &&
    hashCanonical(JSON.parse(approval.inputJson)) === hashCanonical(JSON.parse(inputJson))
  );
}
