/** Texts of grants. */
export const grants = {
  title: "Grants",
  show: "Show",
  active: "Active",
  all: "All",
  noneActive: "No active grants",
  none: "No grants yet",
  advice:
    "If a rule allows it, an approval offers “Allow for a while”. Matching calls then run without approval until the grant expires.",
  grantedBy: "granted by {who} with {approval}",
  thisApproval: "this approval",
  revoke: "Revoke",
  revokeTitle: "Revoke this grant?",
  revokeEffect: "Matching calls will need approval again. Calls that have started are not stopped.",
};
