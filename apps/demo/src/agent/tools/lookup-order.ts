import { createTool } from "@inngest/agent-kit";
import { z } from "zod";
import type { Desk } from "../../desk/desk.js";

export function lookupOrder(desk: Desk) {
  return createTool({
    name: "lookup_order",
    description: "Finds an order: its customer, total, status and card.",
    parameters: z.object({ orderId: z.string().describe("Such as A-1001") }),
    handler: async ({ orderId }) => {
      const order = await desk.findOrder(orderId);
      return {
        orderId: order.id,
        customerId: order.customerId,
        total: order.totalCents / 100,
        currency: order.currency,
        status: order.status,
        cardLast4: order.cardLast4,
      };
    },
  });
}
