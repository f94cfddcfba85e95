import { createTool } from "@inngest/agent-kit";
import { durable } from "countersign";
import { z } from "zod";
import type { Desk } from "../../desk/desk.js";
import { DeskError } from "../../desk/desk-error.js";

/**
 * The policy allows lookups, so AgentKit calls this handler on every replay of the run. A separate step memoizes the
 * result. It is marked as durable for policies that require approval.
 */
export function lookupOrder(desk: Desk) {
  return durable(
    createTool({
      name: "lookup_order",
      description: "Finds an order: its customer, total, status and card.",
      parameters: z.object({ orderId: z.string().describe("Such as A-1001") }),
      handler: async ({ orderId }, { step }) => {
        const look = () => lookUp(desk, orderId);
        const found = await (step ? step.run("look up order", look) : look());
        if ("problem" in found) throw new DeskError(found.problem);
        return found;
      },
    }),
  );
}

/** A missing order is a result and must not make the step retry. */
async function lookUp(desk: Desk, orderId: string) {
  try {
    const order = await desk.findOrder(orderId);
    return {
      orderId: order.id,
      customerId: order.customerId,
      total: order.totalCents / 100,
      currency: order.currency,
      status: order.status,
      cardLast4: order.cardLast4,
    };
  } catch (error) {
    if (error instanceof DeskError) return { problem: error.message };
    throw error;
  }
}
