import { createTool, type Tool } from "@inngest/agent-kit";
import { approvalOf, withPreview } from "countersign";
import { z } from "zod";
import type { Desk } from "../../desk/desk.js";

export function issueRefund(desk: Desk): Tool.Any {
  const tool = createTool({
    name: "issue_refund",
    description: "Pays money of an order back to the card that it was paid with.",
    parameters: z.object({
      orderId: z.string().describe("Such as A-1001"),
      customerId: z
        .string()
        .regex(/^C-\d+$/)
        .describe("Whose order it is, such as C-1"),
      amount: z.number().positive().describe("In EUR, such as 49.90"),
      reason: z.string().optional(),
    }),
    handler: async (refund, options) => {
      const order = await desk.refund(refund, approvalOf(options)?.id);
      return { status: "refunded", orderId: order.id, amount: refund.amount, currency: order.currency };
    },
  });
  // OpenAI's strict schemas allow no optional property, and AgentKit asks for strict unless told otherwise.
  return withPreview({ ...tool, strict: false }, (refund) => desk.previewRefund(refund));
}
