import { englishKind } from "@countersign/policy/internal/display/english-kind";

/** Texts of grants. */
export const grants = {
  title: "Standing permissions",
  show: "Show",
  active: "Active",
  all: "All",
  noneActive: "No active permissions",
  none: "No permissions yet",
  advice:
    "If a rule allows it, an approval offers “Allow again without asking”. Matching requests then run without approval until the permission expires.",
  grantedBy: "allowed by {who} from {approval}",
  thisApproval: (label: string | null) => `this ${englishKind(label)}`,
  revoke: "Revoke",
  revokeTitle: "Revoke this permission?",
  revokeEffect: "Matching requests will need approval again. Those that have started are not stopped.",
};
