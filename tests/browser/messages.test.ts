import { expect, it } from "vitest";
import { inTurns } from "../support/desk-tools.js";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { refundPolicy, refundsOf } from "../support/inbox/refunds.js";
import { openSite } from "../support/inbox/site.js";
import { scrollsSideways } from "../support/inbox/visitor.js";
import { recordingChannel } from "../support/recording-channel.js";
import { patience } from "../support/stops.js";

const quiet = { logger: { info: () => {}, warn: () => {}, error: () => {} } };

describeInBrowser("the messages of channels in the inbox", (visit) => {
  /** Opens a site with a pending refund whose message to Slack failed and whose email was sent. */
  async function openFailed() {
    const refused = { ok: false, error: "#finance: the channel is archived\u202E", permanent: true } as const;
    const slack = recordingChannel({ name: "slack", answers: [refused] });
    const email = recordingChannel({ name: "email", mode: "events" });
    const site = await openSite({
      stopRoles: ["lead"],
      policy: refundPolicy({ notify: ["slack:#finance", "email:finance@example.com"] }),
      reply: inTurns(refundsOf(80)),
      countersign: { channels: [slack.channel, email.channel], ...quiet },
    });
    await site.harness.say("My parcel never arrived.");
    const call = await site.harness.onlyPending();
    const states = async () =>
      (await site.harness.store.listDeliveries("acme", call.id)).map(({ state }) => state).sort();
    await expect.poll(states, patience).toEqual(["failed", "sent"]);
    return Object.assign(site, { slack, call });
  }

  it("are listed with their state, and a failed one can be sent again by keyboard", async () => {
    await using site = await openFailed();
    await using lead = await visit(site, { as: "lead" });
    const { page } = lead;
    await lead.open("Refund 80 EUR");
    await page.getByRole("status").filter({ hasText: "A message could not be delivered" }).waitFor();
    await page.getByText("Messages (2)").focus();
    await page.keyboard.press("Enter");
    const rows = page.getByRole("list", { name: "Messages" }).getByRole("listitem");
    const failed = rows.filter({ hasText: "slack, #finance" });
    await failed.filter({ hasText: "Waiting for a decision" }).waitFor();
    await failed.filter({ hasText: "Failed after 1 attempt" }).waitFor();
    await failed.filter({ hasText: "the channel is archived⟨U+202E⟩" }).waitFor();
    await rows
      .filter({ hasText: "email, finance@example.com" })
      .filter({ hasText: /Sent \d/ })
      .waitFor();
    const again = lead.button(/Send again/);
    expect(await again.count()).toBe(1);
    expect(await again.textContent()).toBe("Send again to slack, #finance");
    await again.focus();
    await page.keyboard.press("Enter");
    await rows
      .filter({ hasText: "slack, #finance" })
      .filter({ hasText: /Sent \d/ })
      .waitFor();
    await page.getByText("A message could not be delivered").waitFor({ state: "hidden" });
    expect(site.slack.sent).toHaveLength(1);
    expect(await again.count()).toBe(0);
  });

  it("are shown without the button to people who may not send them again, and fit a phone with it", async () => {
    await using site = await openFailed();
    for (const as of ["finance", "auditor"]) {
      await using visitor = await visit(site, {
        as,
        path: `/${as === "auditor" ? "history" : "approvals"}/${site.call.id}`,
      });
      await visitor.page.getByText("A message could not be delivered").waitFor();
      await visitor.page.getByText("Messages (2)").click();
      await visitor.page.getByText("Failed after 1 attempt").waitFor();
      expect(await visitor.button(/Send again/).count()).toBe(0);
    }

    const viewport = { width: 390, height: 844 };
    await using lead = await visit(site, { as: "lead", viewport, hasTouch: true });
    await lead.open("Refund 80 EUR");
    await lead.page.getByText("Messages (2)").click();
    const again = lead.button(/Send again/);
    await again.scrollIntoViewIfNeeded();
    expect((await again.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    expect(await scrollsSideways(lead.page)).toBe(false);
    expect(await violations(lead.page)).toEqual([]);
    await lead.picture("messages-phone");
  });

  it("have no section if there are none", async () => {
    await using site = await openSite({ policy: refundPolicy(), reply: inTurns(refundsOf(80)) });
    await site.harness.say("My parcel never arrived.");
    await using finance = await visit(site, { as: "finance" });
    const listed = finance.page.waitForResponse(/\/deliveries$/);
    await finance.open("Refund 80 EUR");
    await (await listed).finished();
    await finance.page.getByText("Audit trail").waitFor();
    expect(await finance.page.getByText(/^Messages/).count()).toBe(0);
  });
});
