import { createState } from "@inngest/agent-kit";
import { z } from "zod";
import { countersign } from "./countersign";
import { inngest } from "./inngest";
import { createSupportNetwork } from "./support-network";
import type { SupportState } from "./support-state";

export const messageReceived = "support/message.received";

/** Says nothing about who asks: an event can be forged, the thread's row cannot. */
const messageData = z.object({ threadId: z.string(), message: z.string() });

export const answerCustomer = inngest.createFunction(
  { id: "answer-customer", triggers: [{ event: messageReceived }] },
  async ({ event, step }) => {
    const { threadId, message } = messageData.parse(event.data);
    const userId = await step.run("find-owner", () => findOwner(threadId));
    const network = createSupportNetwork();
    await network.run(message, { state: createState<SupportState>({ userId }, { threadId }) });
  },
);

async function findOwner(threadId: string): Promise<string> {
  const ownerId = await countersign.threads.ownerOf("acme", threadId);
  if (!ownerId) throw new Error(`There is no thread ${threadId} with an owner`);
  return ownerId;
}
