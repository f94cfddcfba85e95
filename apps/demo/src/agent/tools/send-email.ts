import { createTool } from "@inngest/agent-kit";
import { approvalOf } from "countersign";
import { z } from "zod";
import type { Desk } from "../../desk/desk.js";

export function sendEmail(desk: Desk) {
  return createTool({
    name: "send_email",
    description: "Sends an email in the desk's name.",
    parameters: z.object({ to: z.string(), subject: z.string(), body: z.string() }),
    handler: async (email, options) => {
      await desk.sendEmail(email, approvalOf(options)?.id);
      return { status: "sent", to: email.to, subject: email.subject };
    },
  });
}
