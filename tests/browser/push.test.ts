import { expect, it } from "vitest";
import { inTurns } from "../support/desk-tools.js";
import { describeInBrowser, type Visit } from "../support/inbox/describe-in-browser.js";
import { allowingNotifications, openPushSite, subscribingTo, workerOf } from "../support/inbox/push-site.js";
import { refundPolicy, refundsOf } from "../support/inbox/refunds.js";
import { openSite } from "../support/inbox/site.js";
import type { Visitor } from "../support/inbox/visitor.js";

async function turnNotifications({ page, button }: Visitor): Promise<void> {
  await button(/menu$/).click();
  await page.getByRole("menuitemcheckbox", { name: /^Notify me on this device/ }).click();
  await page.keyboard.press("Escape");
}

/** Opens the inbox of a world in a browser of its own, in which finance turns notifications on. */
async function openSubscribed(
  visit: Visit,
  world: Awaited<ReturnType<typeof openPushSite>>,
  expected?: RegExp,
) {
  const browser = world.service.subscribe();
  const before = allowingNotifications + subscribingTo(browser.subscription);
  const visitor = await visit(world.site, { as: "finance", before, ...(expected && { expected }) });
  await turnNotifications(visitor);
  const { endpoint } = browser.subscription;
  await expect.poll(world.endpoints).toEqual([{ principalId: "finance", endpoint }]);
  return Object.assign(visitor, { browser });
}

/** The page gets events. */
const live = ".cs-link-state[data-state=live]";

describeInBrowser("push messages", (visit) => {
  it("are shown as notifications once a person has turned them on, open the call, and end when they are turned off", async () => {
    await using world = await openPushSite();
    const { site, service } = world;
    await using visitor = await openSubscribed(visit, world);
    const { browser } = visitor;

    await site.harness.say("My parcel never arrived. Please refund it.");
    const [call] = await site.harness.pending(1);
    await expect.poll(() => browser.accepted.length).toBe(1);
    await visitor.rows().first().waitFor();
    // The page leaves the notification to the push message.
    expect(await visitor.page.evaluate("globalThis.noted")).toEqual([]);
    expect(service.refused).toEqual([]);
    const worker = await workerOf(visitor, site.url);
    await worker.deliver(browser.accepted[0]?.text ?? "");
    const title = "Refund 80 EUR for order A-1";
    await expect.poll(worker.shown).toMatchObject([
      {
        ...{ title, tag: call?.id, data: { approvalId: call?.id } },
        body: expect.stringMatching(/^Medium risk · until .*\d\d?:\d\d/),
        actions: [{ title: "Deny" }, { title: "Open" }],
      },
    ]);

    await worker.click("deny");
    await visitor.heading(title).waitFor();
    await visitor.page.getByRole("form", { name: "Deny" }).waitFor();
    expect(new URL(visitor.page.url()).search).toBe("");
    expect(await site.harness.pending(1)).toHaveLength(1);
    expect(await worker.shown()).toEqual([]);

    await turnNotifications(visitor);
    await expect.poll(world.endpoints).toEqual([]);
    await visitor.page.reload();
    await visitor.button(/menu$/).click();
    const item = visitor.page.getByRole("menuitemcheckbox", { name: "Notify me on this device" });
    expect(await item.getAttribute("aria-checked")).toBe("false");
    expect(await world.endpoints()).toEqual([]);
  });

  it("end when somebody else signs in, and are confirmed when the same person comes back", async () => {
    await using world = await openPushSite();
    await using visitor = await openSubscribed(visit, world);
    const { page, context, browser } = visitor;
    const signIn = async (token: string) => {
      const { origin } = new URL(world.site.url);
      await context.request.post(`${origin}/api/session`, { data: { token }, headers: { origin } });
    };
    const confirmed = page.waitForResponse(
      (response) => response.url().endsWith("/push/subscription") && response.request().method() === "PUT",
    );
    await page.reload();
    expect((await confirmed).status()).toBe(200);
    // The host's own page has signed finance out.
    await signIn("lead");
    const ended = page.waitForResponse((response) => response.request().method() === "DELETE");
    await page.reload();
    await ended;
    await expect.poll(() => page.evaluate("localStorage.getItem('subscribed in this test')")).toBeNull();
    // The row is finance's, and its push service answers that the browser has ended the subscription.
    browser.end(410);
    await world.site.harness.say("My parcel never arrived. Please refund it.");
    await expect.poll(world.endpoints).toEqual([]);
    expect(browser.accepted).toEqual([]);
  });

  it.each([409, 503])(
    "do not silence the open page when the server answers a confirmation with %i",
    async (status) => {
      await using world = await openPushSite();
      await using visitor = await openSubscribed(visit, world, new RegExp(`401|${status}`));
      const { page } = visitor;
      await page.route("**/api/push/subscription", (route) =>
        route.fulfill({ status, contentType: "application/json", body: "{}" }),
      );
      const refused = page.waitForResponse((response) => response.request().method() === "PUT");
      await page.reload();
      await refused;
      // A server that fails may still have the subscription.
      const isSubscribed = () => page.evaluate("localStorage.getItem('subscribed in this test') !== null");
      await expect.poll(isSubscribed).toBe(status === 503);
      // A call that the list has when the page learns of it is not new to it, and it loads the list again once it is connected.
      await page.locator(live).waitFor();
      await visitor.settled();
      await world.site.harness.say("My parcel never arrived. Please refund it.");
      await expect.poll(() => page.evaluate("globalThis.noted.length")).toBe(1);

      // They end when the person signs out.
      await page.unroute("**/api/push/subscription");
      await visitor.button(/menu$/).click();
      await page.getByRole("menuitem", { name: "Sign out" }).click();
      if (status === 503) await expect.poll(world.endpoints).toEqual([]);
      else await visitor.heading("Approvals").waitFor();
    },
  );

  it("are not there without keys, and the open page still notifies", async () => {
    await using site = await openSite({ policy: refundPolicy(), reply: inTurns(refundsOf(80)) });
    await using visitor = await visit(site, { as: "finance", before: allowingNotifications });
    const asked = visitor.page.waitForResponse((response) => response.url().endsWith("/api/push"));
    await turnNotifications(visitor);
    expect(await (await asked).json()).toEqual({ publicKey: null });
    // As above.
    await visitor.page.locator(live).waitFor();
    await visitor.settled();
    await site.harness.say("Please refund it.");
    await expect.poll(() => visitor.page.evaluate("globalThis.noted.length")).toBe(1);
    expect(visitor.context.serviceWorkers()).toEqual([]);
  });
});
