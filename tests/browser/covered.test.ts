import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { commandKeys, hideRoles, keysActing, stateOf } from "../support/inbox/behind.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { endSessionAt } from "../support/inbox/end-session.js";
import { holdBack } from "../support/inbox/hold-back.js";
import { openRefundDesk } from "../support/inbox/refunds.js";
import { shared } from "../support/inbox/shared.js";
import { moveClock, moveClockUntilReady, stoppedClock } from "../support/inbox/stopped-clock.js";
import type { Visitor } from "../support/inbox/visitor.js";

const terms = {
  decisions: ["approve", "edit", "deny"],
  editable: ["amount"],
  grantable: ["thread"],
} satisfies Parameters<typeof openRefundDesk>[0];

/** How to open each dialog and menu above an open call. Each closes with Escape. */
const overlays: Record<string, (visitor: Visitor) => Promise<void>> = {
  "the command palette": ({ page }) => page.keyboard.press("Control+k"),
  "the help": ({ page }) => page.keyboard.press("?"),
  "the table of selected calls": ({ page }) => page.keyboard.press("b"),
  "the dialog of stops": ({ button }) => button("Stop tools").click(),
  "the person's menu": ({ button }) => button(/, menu$/).click(),
  "the menu of snoozes": ({ page }) => page.keyboard.press("s"),
  "the menu of extensions": ({ button }) => button("Extend").click(),
  "the menu of grants": ({ button }) => button("Allow again without asking").click(),
  "the dialog that assigns": ({ button }) => button("Reassign").click(),
  "the explanation of the audit trail": ({ button }) => button(/^Verified/).click(),
  "the denial reasons": ({ button }) => button("Edit reasons").click(),
};

/** Dialogs and menus of a host's page. */
const ofHosts: Record<string, string> = {
  "a dialog": '<div role="dialog">Cookies?</div>',
  "an alert": '<div role="alertdialog">Your trial ends.</div>',
  "a menu": '<div role="menu"><button role="menuitem">Settings</button></div>',
  "a native dialog": "<dialog open>Cookies?</dialog>",
};

const addOfHost = (page: Page, html: string) =>
  page.evaluate(
    `document.body.insertAdjacentHTML("beforeend", ${JSON.stringify(`<div id="host">${html}</div>`)})`,
  );

describeInBrowser("a dialog or menu", (visit) => {
  const desk = shared(() => openRefundDesk(terms, { stopRoles: ["finance"] }));

  /** Opens a call that every key could act on, with two selected. */
  async function openWorld() {
    const site = await desk();
    await site.ask(80, 90, 100);
    const visitor = await visit(site, { as: "finance", before: stoppedClock });
    const { page } = visitor;
    const decisions: string[] = [];
    page.on("request", (request) => {
      const isRead = request.method() === "GET" || request.url().endsWith("/viewing");
      if (!isRead) decisions.push(`${request.method()} ${request.url()}`);
    });
    await visitor.rows().nth(2).waitFor();
    for (const amount of [90, 80]) {
      await visitor.open(`Refund ${amount} EUR`);
      await visitor.heading(`Refund ${amount} EUR`).waitFor();
      await page.keyboard.press("x");
    }
    await page.getByText("Audit trail").click();
    await visitor.button(/^Verified/).waitFor();
    await moveClockUntilReady(page);
    await visitor.settled();
    await page.locator("h1").focus();
    decisions.length = 0;
    return { site, visitor, page, decisions };
  }

  const popup = ".cs-dialog, .cs-menu, .cs-popover";

  /** The keys that act behind each dialog and menu of a host's page. */
  async function actingBehindHosts(page: Page) {
    const acting: Record<string, string[]> = {};
    for (const [name, html] of Object.entries(ofHosts)) {
      await addOfHost(page, html);
      const before = await stateOf(page);
      const found = await keysActing(page, commandKeys, "h1");
      if (found.length > 0) acting[name] = found;
      expect(await stateOf(page)).toEqual(before);
      await page.evaluate('document.querySelector("#host").hidden = true');
      expect(await keysActing(page, ["r"], "h1")).toEqual(["r"]);
      await page.evaluate('document.querySelector("#host").remove()');
    }
    return acting;
  }

  it("lets no key act behind it, whether the page can see it or it has only said so", async () => {
    const { site, visitor, page, decisions } = await openWorld();
    await using _visitor = visitor;
    const acting = await actingBehindHosts(page);
    for (const [name, open] of Object.entries(overlays)) {
      if (name === "the denial reasons") await page.keyboard.press("d");
      for (const roles of ["seen", "unseen"]) {
        await open(visitor);
        await page.locator(popup).first().waitFor();
        // It takes the focus a moment later, which is no doing of a key. The page's security policy forbids waitForFunction.
        await expect.poll(() => page.evaluate('document.activeElement.matches("h1, h1 *")')).toBe(false);
        if (roles === "unseen") await hideRoles(page);
        const before = await stateOf(page);
        const found = [
          ...(await keysActing(page, commandKeys, "h1")),
          ...(await keysActing(page, commandKeys, "body")),
        ];
        if (found.length > 0) acting[`${name}, ${roles}`] = found;
        expect(await stateOf(page)).toEqual(before);
        // The dialog's own key closes it, and does nothing to the page.
        const address = page.url();
        await page.keyboard.press("Escape");
        await page.locator(popup).first().waitFor({ state: "detached" });
        expect(page.url()).toBe(address);
      }
    }
    expect(acting).toEqual({});
    expect(decisions).toEqual([]);
    expect(await site.harness.pending(3)).toHaveLength(3);

    await page.getByRole("form", { name: "Deny" }).getByRole("button", { name: "Cancel" }).click();
    // A message that leaves the page usable keeps only the keys that are pressed in it.
    await addOfHost(page, '<div role="dialog" aria-modal="false"><h1>Hello</h1></div>');
    expect(await keysActing(page, ["r"], ".cs-detail h1")).toEqual(["r"]);
    expect(await keysActing(page, commandKeys, "#host h1")).toEqual([]);
    await page.evaluate('document.querySelector("#host").remove()');
    // Without one, the same keys act.
    const harmless = ["r", "x", "f", "/", "j", "k", "f6", "?"];
    expect(await keysActing(page, harmless, "h1")).toEqual(harmless);
  });

  it("covers the page from the moment it was asked for, however late it comes", async () => {
    const site = await desk();
    await site.ask(80);
    await using visitor = await visit(site, { as: "finance", before: stoppedClock });
    const { page } = visitor;
    const held = await holdBack(page, "**/command-palette-*.js");
    await page.reload();
    await visitor.open("Refund 80 EUR");
    await visitor.heading("Refund 80 EUR").waitFor();
    await moveClockUntilReady(page);
    await page.keyboard.press("Control+k");
    for (const key of "deny") await page.keyboard.press(key);
    expect(await page.getByRole("form", { name: "Deny" }).count()).toBe(0);
    held.release();
    await page.getByRole("dialog", { name: "Commands" }).waitFor();
  });

  it("lets no key act behind it if it says that the session has ended, or asks whether to revoke a grant", async () => {
    const site = await desk();
    const { calls } = await site.ask(80, 90);
    const [first] = calls;
    const [suggestion] =
      first?.grantSuggestions ?? (await site.harness.approval(first?.id ?? "")).grantSuggestions;
    const body = { type: "approve", digest: first?.digest, grant: suggestion?.grant };
    await site.harness.call("finance", `/approvals/${first?.id}/decision`, { method: "POST", body });
    await using visitor = await visit(site, { as: "finance", path: "/grants", expected: /401/ });
    const { page } = visitor;
    const actingBehind = async () => {
      const before = await stateOf(page);
      const acting = await keysActing(page, commandKeys, "body");
      await hideRoles(page);
      acting.push(...(await keysActing(page, commandKeys, "body")));
      expect(await stateOf(page)).toEqual(before);
      return acting;
    };
    await visitor.button("Revoke").click();
    await page.getByRole("alertdialog").waitFor();
    expect(await actingBehind()).toEqual([]);
    await page.keyboard.press("Escape");
    await page.locator(".cs-dialog").waitFor({ state: "detached" });

    await page.getByRole("link", { name: "Pending" }).click();
    await visitor.rows().first().getByRole("link").click();
    await visitor.button("Deny").click();
    await endSessionAt(visitor, "**/decision");
    await page.getByRole("textbox", { name: /^Reason/ }).press("Enter");
    await page.getByRole("alertdialog", { name: "Your session has ended" }).waitFor();
    expect(await actingBehind()).toEqual([]);
  });

  /** Loads the list. The content of a call waits until it is released. */
  async function openHeldCall({ page, rows, settled }: Visitor, url: string) {
    await page.goto(url);
    await rows().nth(2).waitFor();
    await settled();
    const held = await holdBack(page, "**/api/approvals/apr_*");
    return {
      ...held,
      async shown() {
        held.release();
        await page.locator("article.cs-detail").waitFor();
        await settled();
      },
    };
  }

  it("keeps the focus when a call arrives below it, and decides nothing meanwhile", async () => {
    const site = await desk();
    await site.ask(80, 90, 100);
    await using visitor = await visit(site, { as: "finance", before: stoppedClock });
    const { page } = visitor;
    for (const [name, key, place, roleless] of [
      ["the table without a role", "b", ".cs-dialog", true],
      ["the palette", "Control+k", ".cs-dialog", false],
      ["the help without a role", "?", ".cs-dialog", true],
      ["the search field", "/", ".cs-search input", false],
    ] as const) {
      const { arrived, shown } = await openHeldCall(visitor, site.url);
      await visitor.rows().first().getByRole("checkbox").check();
      await page.keyboard.press("j");
      await arrived;
      await page.keyboard.press(key);
      await page.locator(place).waitFor();
      const isInside = async () => [
        name,
        await page.evaluate(`document.activeElement.closest("${place}") !== null`),
      ];
      await expect.poll(isInside).toEqual([name, true]);
      if (roleless) await hideRoles(page);
      await shown();
      expect(await isInside()).toEqual([name, true]);
    }

    const { shown } = await openHeldCall(visitor, site.url);
    for (const key of "jxjxb") await page.keyboard.press(key);
    await page.getByRole("dialog").waitFor();
    await shown();
    await page.getByRole("dialog").getByRole("row").nth(2).waitFor();
    await moveClock(page, 5000);
    await visitor.settled();
    const state = await stateOf(page);
    for (const key of "aad1eujs") {
      await page.keyboard.press(key);
      expect([key, await stateOf(page)]).toEqual([key, state]);
    }
    await visitor.settled();
    expect(await stateOf(page)).toEqual(state);
    expect(await site.harness.pending(3)).toHaveLength(3);
    expect(site.effects).toEqual([]);
  });
});
