import { createTool } from "@inngest/agent-kit";
import { approvalOf, withUndo } from "countersign";
import { z } from "zod";
import type { Desk } from "../../desk/desk.js";

export function bookCarrier(desk: Desk) {
  return withUndo(
    createTool({
      name: "book_carrier",
      description: "Books the carrier that takes an order to its customer.",
      parameters: z.object({
        orderId: z.string().describe("Such as A-1002"),
        carrier: z.string().describe("Such as DHL"),
      }),
      handler: async (booking, options) => {
        await desk.bookCarrier(booking, approvalOf(options)?.id);
        return { status: "booked", ...booking };
      },
    }),
    async ({ orderId, carrier }, _booked, { approval }) => {
      await desk.cancelCarrier({ orderId, carrier }, approval.id);
      return { status: "cancelled" };
    },
  );
}
