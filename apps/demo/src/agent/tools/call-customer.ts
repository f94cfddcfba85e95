import { createTool } from "@inngest/agent-kit";
import { z } from "zod";
import { DeskError } from "../../desk/desk-error.js";

/** The policy gives this tool to a person, who enters the result. */
export function callCustomer() {
  return createTool({
    name: "call_customer",
    description: "Has somebody phone a customer; the result is what was said.",
    parameters: z.object({
      customerId: z.string().describe("Such as C-3"),
      about: z.string().describe("What to speak about"),
    }),
    handler: async () => {
      throw new DeskError("Only a person can phone a customer. Set the verdict of this tool to manual.");
    },
  });
}
