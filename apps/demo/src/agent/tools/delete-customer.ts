import { createTool } from "@inngest/agent-kit";
import { z } from "zod";
import type { Desk } from "../../desk/desk.js";

export function deleteCustomer(desk: Desk) {
  return createTool({
    name: "delete_customer",
    description: "Deletes a customer for good.",
    parameters: z.object({ customerId: z.string().describe("Such as C-7") }),
    handler: async ({ customerId }) => {
      await desk.deleteCustomer(customerId);
      return { status: "deleted", customerId };
    },
  });
}
