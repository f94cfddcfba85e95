import { createTool } from "@inngest/agent-kit";
import { approvalOf } from "countersign";
import { z } from "zod";
import type { Desk } from "../../desk/desk.js";

export function deleteCustomer(desk: Desk) {
  return createTool({
    name: "delete_customer",
    description: "Deletes a customer for good.",
    parameters: z.object({ customerId: z.string().describe("Such as C-7") }),
    handler: async ({ customerId }, options) => {
      await desk.deleteCustomer(customerId, approvalOf(options)?.id);
      return { status: "deleted", customerId };
    },
  });
}
