import { allow, ask, definePolicy, deny } from "countersign";

/** What the desk's agent may do by itself, what a person decides, and what it never does. */
export const policy = definePolicy({
  tools: {
    lookup_order: allow(),
    issue_refund: ask({
      reason: "Money leaves the shop",
      approvers: { roles: ["finance", "lead", "admin"] },
    }),
    send_email: ask({ reason: "A customer reads this", approvers: { roles: ["finance", "lead", "admin"] } }),
    delete_customer: deny("Customers are deleted by the data team only"),
  },
});
