import type { Conversation, Reply } from "@countersign/testing";
import { ask, definePolicy } from "countersign";
import { callsFromMessage, callsOf } from "../calls-from-message.js";
import { inTurns } from "../desk-tools.js";
import { eventually } from "../harness.js";
import { openSite, type Site, type SiteOptions } from "./site.js";

/** The default terms of the rule about refunds. */
const refundTerms = {
  approvers: { roles: ["finance", "lead"] },
  summary: "Refund {{amount}} EUR for order {{id}}",
  reason: "Money leaves the shop",
} satisfies Parameters<typeof ask>[0];

type Terms = NonNullable<Parameters<typeof ask>[0]>;

interface Refund {
  id: string;
  amount: number;
}

/** The terms of a rule: the same for each refund, or by what is refunded. */
type RefundTerms = Terms | ((refund: Refund) => Terms);

export const refundPolicy = (terms: RefundTerms = {}) =>
  definePolicy({
    tools: {
      refund:
        typeof terms === "function"
          ? ({ input }) => ask({ ...refundTerms, ...terms(input as unknown as Refund) })
          : ask({ ...refundTerms, ...terms }),
    },
  });

const text = "The customer asks for their money back; the parcel never arrived.";

/** A reply of the model that proposes a refund of each amount, for order and so on. */
export const refundsOf = (...amounts: number[]): Reply => ({
  text,
  toolCalls: amounts.map((amount, at) => ({ name: "refund", input: { id: `A-${at + 1}`, amount } })),
});

/** A site with pending refunds; `runId` is the run that proposed them. */
export async function openRefunds(
  amounts: number[],
  terms: Parameters<typeof ask>[0] = {},
  options: Pick<SiteOptions, "directory" | "holdMs" | "onRequest" | "stopRoles"> = {},
): Promise<Site & { runId: string }> {
  const site = await openSite({
    policy: refundPolicy(terms),
    reply: inTurns(refundsOf(...amounts)),
    ...options,
  });
  const { runId } = await site.harness.say("My parcels never arrived. Please refund them.");
  await site.harness.pending(amounts.length);
  return Object.assign(site, { runId });
}

/** A site for all tests of a file, each of which asks for its own refunds. */
export async function openRefundDesk(
  terms: RefundTerms = {},
  options: Pick<SiteOptions, "holdMs" | "onRequest" | "stopRoles" | "host"> = {},
) {
  const reply = (conversation: Conversation) => ({ text, ...callsFromMessage(conversation) });
  const site = await openSite({ policy: refundPolicy(terms), reply, ...options });
  const { harness, effects } = site;
  /** Denies what an earlier test has left, and forgets what ran for it. */
  const clear = async () => {
    const waiting = async (): Promise<{ id: string; digest: string; held: unknown }[]> =>
      (await harness.call("lead", "/approvals?status=pending")).body.items;
    // What a person may still take back takes effect. Nobody else can decide it, and it would be taken for one of the next.
    if ((await waiting()).some(({ held }) => held !== null)) {
      await harness.clock.advance("2m");
      await eventually(
        async () => (await waiting()).every(({ held }) => held === null) || undefined,
        "the end of what is held",
      );
    }
    for (const left of await waiting()) await harness.decide(left, "deny", "lead");
    await harness.engine.idle();
    effects.length = 0;
  };
  return Object.assign(site, {
    /** Proposes refunds: of these amounts for order and so on, or of these arguments. */
    async ask(...refunds: (number | Refund)[]) {
      await clear();
      const inputs = refunds.map((refund, at) =>
        typeof refund === "number" ? { id: `A-${at + 1}`, amount: refund } : refund,
      );
      const { runId } = await harness.say(callsOf(...inputs.map((input) => ({ name: "refund", input }))));
      return { runId, calls: await harness.pending(refunds.length) };
    },
  });
}
