import type { ApprovalView } from "countersign/hono";
import { bookingPolicy, bookingTool } from "../booking-desk.js";
import { callsFromMessage, callsOf } from "../calls-from-message.js";
import { openSite } from "./site.js";

interface BookingsOptions {
  /** @default bookings wait for finance, and may be undone for ten minutes */
  rules?: readonly object[];
  /** What the undo does, beside recording that it started. */
  cancel?(order: string): unknown;
}

/** A site whose agent books carriers, which can be undone. */
export async function openBookings({ rules, ...options }: BookingsOptions = {}) {
  const { book, booked, cancelled } = bookingTool(options);
  const site = await openSite({
    tools: [book],
    policy: bookingPolicy(rules),
    countersign: { undoable: [book] },
    reply: callsFromMessage,
  });
  const { harness } = site;
  const propose = (order: string) => harness.say(callsOf({ name: "book", input: { order } }));
  return Object.assign(site, {
    booked,
    cancelled,
    /** Proposes a booking that waits for a decision. */
    async ask(order: string) {
      await propose(order);
      return harness.onlyPending();
    },
    /** Has a carrier booked, with the approval of finance if the policy asks. */
    async book(order: string) {
      const { runId } = await propose(order);
      const decidedOrRun = await harness.onceAtRest(async () => {
        const { items } = (await harness.call("finance", "/approvals?sort=-created")).body;
        return items.find((item: ApprovalView) => item.runId === runId && item.status !== "proposed");
      }, "the booking");
      if (decidedOrRun.status === "pending") await harness.decide(decidedOrRun, "approve");
      await harness.ended(runId);
      return harness.approval(decidedOrRun.id);
    },
  });
}
