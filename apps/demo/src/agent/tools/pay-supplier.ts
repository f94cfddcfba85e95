import { createTool } from "@inngest/agent-kit";
import { approvalOf } from "countersign";
import { z } from "zod";
import type { Desk } from "../../desk/desk.js";

export function paySupplier(desk: Desk) {
  return createTool({
    name: "pay_supplier",
    description: "Pays a supplier from the shop's account.",
    parameters: z.object({
      supplierId: z.string().describe("Such as S-3"),
      amount: z.number().positive().describe("In EUR"),
      iban: z.string().describe("The supplier's account"),
    }),
    handler: async (payout, options) => {
      await desk.paySupplier(payout, approvalOf(options)?.id);
      return { status: "paid", supplierId: payout.supplierId, amount: payout.amount };
    },
  });
}
