import { createTool, type Tool } from "@inngest/agent-kit";
import { approvalOf } from "countersign";
import { z } from "zod";
import type { Desk } from "../../desk/desk.js";

export function changeAddress(desk: Desk): Tool.Any {
  const tool = createTool({
    name: "change_address",
    description: "Changes where an order is sent to.",
    parameters: z.object({
      orderId: z.string().describe("Such as A-1003"),
      street: z.string(),
      postcode: z.string(),
      city: z.string(),
      country: z.string().describe("Two letters, such as DE"),
      floor: z.number().int().optional(),
      leaveAtDoor: z.boolean().optional(),
    }),
    handler: async (address, options) => {
      await desk.changeAddress(address, approvalOf(options)?.id);
      return { status: "changed", orderId: address.orderId };
    },
  });
  // OpenAI's strict schemas allow no optional property, and AgentKit asks for strict unless told otherwise.
  return { ...tool, strict: false };
}
