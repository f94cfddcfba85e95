import { createTool } from "@inngest/agent-kit";
import { durable } from "countersign";
import { z } from "zod";
import type { Desk } from "../../desk/desk.js";
import { DeskError } from "../../desk/desk-error.js";

/**
 * The policy allows lookups, so AgentKit enters this handler again on every replay of the run. Its own step keeps what
 * the agent saw the first time; hence durable, for policies that gate it after all.
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

/** An order that is not there is an answer, and no reason for the step to try again. */
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
