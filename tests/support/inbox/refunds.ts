import { ask, definePolicy } from "countersign";
import type { Reply } from "countersign/testing";
import { inTurns } from "../desk-tools.js";
import { openSite, type Site, type SiteOptions } from "./site.js";

/** The default terms of the rule about refunds. */
const refundTerms = {
  approvers: { roles: ["finance", "lead"] },
  summary: "Refund {{amount}} EUR for order {{id}}",
  reason: "Money leaves the shop",
} satisfies Parameters<typeof ask>[0];

export const refundPolicy = (terms: Parameters<typeof ask>[0] = {}) =>
  definePolicy({ tools: { refund: ask({ ...refundTerms, ...terms }) } });

/** A reply of the model that proposes a refund of each amount, for order and so on. */
export const refundsOf = (...amounts: number[]): Reply => ({
  text: "The customer asks for their money back; the parcel never arrived.",
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
