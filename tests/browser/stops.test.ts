import { expect, it } from "vitest";
import { inTurns } from "../support/desk-tools.js";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { refundPolicy, refundsOf } from "../support/inbox/refunds.js";
import { openSite } from "../support/inbox/site.js";
import { scrollsSideways } from "../support/inbox/visitor.js";
import { patience, stopCalls } from "../support/stops.js";

const rules = {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
};

describeInBrowser("a stop in the inbox", (visit) => {
  /** Opens a site with a database of its own and a pending refund, where leads may stop calls. */
  async function openStoppable() {
    const site = await openSite({
      stopRoles: ["lead"],
      policy: refundPolicy({ grantable: ["thread"] }),
      reply: inTurns(refundsOf(80)),
    });
    const { runId } = await site.harness.say("My parcel never arrived.");
    await site.harness.onlyPending();
    return Object.assign(site, { runId });
  }

  it("is engaged and released by keyboard, and approvers see who stopped the call and why", async () => {
    await using site = await openStoppable();
    await using finance = await visit(site, { as: "finance" });
    await using lead = await visit(site, { as: "lead" });
    await finance.open("Refund 80 EUR");
    const approve = finance.button(/^Approve: refund/);
    await approve.waitFor();
    await finance.page.getByRole("img", { name: "Live" }).waitFor();

    await lead.button("Stop tools").focus();
    await lead.page.keyboard.press("Enter");
    await lead.page.getByRole("dialog", { name: "Stop tools" }).waitFor();
    await expect.poll(() => lead.page.evaluate("document.activeElement.type"), patience).toBe("radio");
    await lead.page.keyboard.press("Space");
    await lead.page.keyboard.press("Tab");
    await lead.page.keyboard.type("ref*");
    await lead.page.keyboard.press("Tab");
    await lead.page.keyboard.type("A key has leaked");
    await lead.page.keyboard.press("Enter");
    const engaged = lead.page.getByRole("list", { name: "Active stops" }).getByRole("listitem");
    await engaged.filter({ hasText: "ref*" }).filter({ hasText: "Stopped by lead" }).waitFor();
    await lead.picture("stop-dialog");

    const alert = finance.page.getByRole("alert").filter({ hasText: "Stopped by lead: A key has leaked" });
    await alert.filter({ hasText: "It covers ref*" }).waitFor();
    await finance.page.getByText("You can still deny it.").waitFor();
    await expect.poll(() => approve.getAttribute("aria-disabled"), patience).toBe("true");
    expect(await approve.textContent()).toContain("(Stopped by lead: A key has leaked)");
    const allow = finance.button(/^Allow again without asking/);
    expect(await allow.getAttribute("aria-disabled")).toBe("true");
    expect(await allow.textContent()).toContain("(Stopped by lead: A key has leaked)");
    // It stands once on the page.
    expect(await finance.page.getByText("Stopped by lead: A key has leaked", { exact: true }).count()).toBe(
      1,
    );
    await finance.page.keyboard.press("a");
    await finance.picture("stopped");
    // People who may not stop calls get neither button.
    expect(await finance.button("Stop tools").count()).toBe(0);
    expect(await finance.button("Show stops").count()).toBe(0);

    const release = lead.button("Release the stop of ref*");
    await release.focus();
    await lead.page.keyboard.press("Enter");
    await lead.page.keyboard.type("The key was replaced");
    await lead.page.keyboard.press("Enter");
    await engaged.first().waitFor({ state: "hidden" });
    await lead.page.keyboard.press("Escape");
    await expect
      .poll(() => lead.page.evaluate("document.activeElement.getAttribute('aria-label')"), patience)
      .toBe("Stop tools");

    await alert.waitFor({ state: "hidden" });
    await expect.poll(() => approve.getAttribute("aria-disabled"), patience).toBeNull();
    await approve.click();
    await site.harness.ended(site.runId);
    expect(site.effects).toHaveLength(1);
    const log = await site.harness.store.listAudit({ tenantId: "acme" });
    expect(
      log
        .filter(({ type }) => type.startsWith("stop."))
        .map(({ type, actorId, data }) => [type, actorId, data.reason]),
    ).toEqual([
      ["stop.engaged", "lead", "A key has leaked"],
      ["stop.released", "lead", "The key was replaced"],
    ]);
  });

  it("is not engaged by Enter in a dialog that was just opened, and every call needs a word", async () => {
    await using site = await openStoppable();
    await using lead = await visit(site, { as: "lead" });
    const { page } = lead;
    const requests: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/stops")) requests.push(request.url());
    });
    await lead.rows().first().waitFor();
    await lead.button("Stop tools").click();
    const dialog = page.getByRole("dialog", { name: "Stop tools" });
    const stop = dialog.getByRole("button", { name: /^Stop/ });
    await stop.waitFor();
    expect(await dialog.getByRole("radio", { checked: true }).count()).toBe(0);
    await page.keyboard.press("Enter");
    await stop.click({ force: true });
    expect(await stop.textContent()).toContain("(Choose what to stop)");

    await dialog.getByLabel("One tool, or several").check();
    await dialog.getByLabel(/^Tool/).fill("refund");
    await dialog.getByText("Stops 1 that waits for you").waitFor();
    await dialog.getByLabel(/^Tool/).fill("email");
    await dialog.getByText("Stops nothing that waits for you").waitFor();
    await lead.picture("stop-dialog-tool");

    await dialog.getByLabel("Everything").check();
    await dialog.getByText("Stops 1 that waits for you").waitFor();
    await dialog.getByLabel(/^Reason/).fill("A key has leaked");
    await page.keyboard.press("Enter");
    await stop.click({ force: true });
    expect(await stop.textContent()).toContain("(Type the word “everything” to stop everything)");
    expect(requests).toEqual([]);
    await lead.picture("stop-dialog-everything");
    expect(await violations(page, rules)).toEqual([]);
    await dialog.getByLabel(/^Type everything/).fill("everything");
    await page.keyboard.press("Enter");
    const engaged = dialog.getByRole("list", { name: "Active stops" }).getByRole("listitem");
    await engaged.filter({ hasText: "Everything" }).waitFor();
    expect(requests).toHaveLength(1);
    expect(await dialog.getByRole("radio", { checked: true }).count()).toBe(0);
  });

  it("of all tenants is shown without a button to release it, and its calls can be denied", async () => {
    await using site = await openStoppable();
    await stopCalls(site.harness.store, "*", null);
    await using lead = await visit(site, { as: "lead" });
    await lead.page.getByRole("alert").filter({ hasText: "Stopped by operator" }).waitFor();
    await lead.button("Show stops").click();
    await lead.page.getByText("only an operator can release it").waitFor();
    expect(await lead.button(/^Release/).count()).toBe(0);
    await lead.page.keyboard.press("Escape");
    await lead.open("Refund 80 EUR");
    await lead.page.getByText("You can still deny it.").waitFor();
    await lead.page.keyboard.press("d");
    await lead.page.getByRole("form", { name: "Deny" }).waitFor();
    await lead.page.keyboard.press("Enter");
    await site.harness.ended(site.runId);
    expect((await site.harness.call("lead", "/approvals?status=denied")).body.items).toHaveLength(1);
  });

  it("has no accessibility violations, and fits on a small screen", async () => {
    await using site = await openStoppable();
    await stopCalls(site.harness.store, "refund");
    await using lead = await visit(site, { as: "lead" });
    await lead.open("Refund 80 EUR");
    await lead.page.getByText("You can still deny it.").waitFor();
    expect(await violations(lead.page, rules)).toEqual([]);
    await lead.picture("stopped-for-lead");
    await lead.button("Show stops").click();
    await lead.button("Release the stop of refund").click();
    await lead.page.getByLabel("Why this can start again").waitFor();
    expect(await violations(lead.page, rules)).toEqual([]);
    await lead.picture("stop-dialog-release");
    await lead.page.setViewportSize({ width: 320, height: 640 });
    expect(await scrollsSideways(lead.page)).toBe(false);
    await lead.picture("stop-dialog-small");
    await lead.page.keyboard.press("Escape");
    await lead.page.getByRole("dialog", { name: "Stop tools" }).waitFor({ state: "hidden" });
    await lead.page.goto(site.url);
    await lead.button("Stop tools").waitFor();
    await lead.button("Show stops").waitFor();
    expect(await scrollsSideways(lead.page)).toBe(false);
    await lead.picture("stopped-small");
  });
});
