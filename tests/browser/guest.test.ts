import { brotliCompressSync } from "node:zlib";
import { inboxPage } from "@countersign/inbox/server";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { listenOn } from "../support/http/listen-on.js";
import { contrastViolations, violationsOf } from "../support/inbox/accessibility.js";
import { keysActing } from "../support/inbox/behind.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { hostPage, hostPath, styleSheet } from "../support/inbox/host/host-page.js";
import type { HostPage } from "../support/inbox/host/page.js";
import { openRefundDesk } from "../support/inbox/refunds.js";
import { shared } from "../support/inbox/shared.js";

/** Brand colours from all around the wheel, and without a hue. */
const brands = "#7c3aed #2563eb #0891b2 #16a34a #84cc16 #facc15 #ea580c #dc2626 #db2777 #000 #777".split(" ");

const light = "rgb(255, 255, 255)";
const dark = "rgb(26, 28, 32)";

const background = (page: Page, selector: string) =>
  page.evaluate(
    `getComputedStyle(document.querySelector(${JSON.stringify(selector)})).backgroundColor`,
  ) as Promise<string>;

/** All computed styles of the host's own elements. */
const stylesOfHost = `["html", "body", "header", "h1", "input", "main"].map((each) => {
  const style = getComputedStyle(document.querySelector(each));
  return [...style].filter((name) => !name.startsWith("--") && !/size|height|width|origin/.test(name)).map((name) => name + style[name]);
})`;

describeInBrowser("in a host's page, the inbox", (visit) => {
  const desk = shared(() =>
    openRefundDesk(
      ({ id }) => ({
        decisions: ["approve", "edit", "deny"],
        editable: ["amount"],
        ...(id === "A-2" && { redact: ["id"] }),
      }),
      { host: hostPage },
    ),
  );

  /** Opens a host's page with a refund of 80 EUR, unless others are asked for. */
  async function open(
    host: Omit<HostPage, "id">,
    {
      refunds = [{ id: "A-1", amount: 80 }],
      path = "",
      ...options
    }: {
      refunds?: { id: string; amount: number }[];
      path?: string;
      colorScheme?: "dark";
      expected?: RegExp;
    } = {},
  ) {
    const site = await desk();
    const { calls } = await site.ask(...refunds);
    const id = calls[0]?.id ?? "";
    const visitor = await visit(
      { url: new URL(site.url).origin },
      {
        as: "finance",
        path: hostPath({ ...host, id }, path === "call" ? `/host/approvals/${id}` : "/host"),
        ...options,
      },
    );
    try {
      await visitor.button("Deny").or(visitor.rows().first()).first().waitFor();
      await visitor.settled();
    } catch (cause) {
      const { page } = visitor;
      const statuses = (await site.harness.call("finance", `/approvals/${id}`)).body;
      const shows = `${await page.locator("body").textContent()}\nThe call: ${JSON.stringify(statuses)}`;
      // What the page reported says more.
      await visitor[Symbol.asyncDispose]();
      throw new Error(`The page shows: ${shows}`, { cause });
    }
    return { site, visitor, page: visitor.page, id };
  }

  it("changes no style of the page, which stays light on a dark device", async () => {
    const { visitor, page } = await open({ show: "card" }, { colorScheme: "dark" });
    await using _visitor = visitor;
    await visitor.button("Deny").click();
    await visitor.button("Edit reasons").waitFor();
    const withStyles = await page.evaluate(stylesOfHost);
    expect(await background(page, ".cs-card")).toBe(light);
    expect(await page.evaluate("getComputedStyle(document.documentElement).colorScheme")).toBe("normal");
    expect(await page.evaluate("document.documentElement.getAttributeNames()")).toEqual(["lang"]);
    await page.evaluate('document.querySelector("link[href=\\"/inbox.css\\"]").disabled = true');
    expect(await page.evaluate(stylesOfHost)).toEqual(withStyles);
  });

  it("is dark within an element that is, with all that it opens in the container there", async () => {
    const { visitor, page } = await open(
      { show: "inbox", wrapper: { className: "dark" }, contained: true },
      { path: "call" },
    );
    await using _visitor = visitor;
    expect(await background(page, ".cs-detail-pane")).toBe(dark);
    const opened = async (selector: string) => {
      await page.locator(selector).first().waitFor();
      expect([selector, await page.locator(`#layer ${selector}`).count()]).toEqual([selector, 1]);
      expect([selector, await background(page, selector)]).toEqual([selector, "rgb(33, 35, 41)"]);
      await page.keyboard.press("Escape");
      await page.locator(selector).waitFor({ state: "detached" });
    };
    await visitor.button(/, menu$/).click();
    await opened(".cs-menu");
    await page.keyboard.press("?");
    await opened(".cs-dialog");
    await page.getByText("Audit trail").click();
    await visitor.button(/^Verified/).click();
    await opened(".cs-popover");
    await page.keyboard.press("s");
    await page.getByRole("menuitem").first().click();
    await page.locator(".cs-toast").waitFor();
    expect(await page.locator("#layer .cs-toast").count()).toBe(1);
    expect(await page.locator("body > [data-base-ui-portal]").count()).toBe(0);
  });

  it("follows the nearest data-theme of an ancestor, and before it the provider's theme, also in dialogs", async () => {
    {
      const { visitor, page } = await open({ show: "card", wrapper: { "data-theme": "dark" } });
      await using _visitor = visitor;
      expect(await background(page, ".cs-card")).toBe(dark);
      await page.evaluate('document.documentElement.dataset.theme = "dark"');
      await page.evaluate(
        'document.querySelector("[data-theme=dark] div[data-theme]").dataset.theme = "light"',
      );
      expect(await background(page, ".cs-card")).toBe(light);
    }
    const { visitor, page } = await open({
      show: "inbox",
      wrapper: { "data-theme": "light" },
      theme: "dark",
    });
    await using _visitor = visitor;
    expect(await background(page, ".cs-list-pane")).toBe("rgb(19, 20, 23)");
    // The reader's own choice would change nothing.
    await visitor.button(/, menu$/).click();
    await page.getByRole("menuitemradio", { name: "English" }).waitFor();
    expect(await page.getByRole("menuitemradio", { name: "Light" }).count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    expect(await background(page, ".cs-dialog")).toBe("rgb(33, 35, 41)");
    expect(await page.evaluate("document.documentElement.dataset.theme")).toBeUndefined();
  });

  it("can be read in any brand colour, in light and dark", async () => {
    const { visitor, page } = await open(
      { show: "inbox", wrapper: { className: "brand" }, contained: true },
      {
        path: "call",
        refunds: [
          { id: "A-1", amount: 80 },
          { id: "A-3", amount: 90 },
        ],
      },
    );
    await using _visitor = visitor;
    const fill = () => background(page, '[data-tone="primary"]');
    expect(await fill()).toBe("rgb(124, 58, 237)");
    await visitor.button("Filter").click();
    await page.getByRole("checkbox").first().check();
    const found: Record<string, string[]> = {};
    for (const theme of ["light", "dark"]) {
      for (const brand of brands) {
        await page.evaluate(
          `{ const { style, dataset } = document.querySelector(".brand"); style.setProperty("--cs-accent", "${brand}"); style.background = "${theme === "dark" ? "#131417" : "white"}"; dataset.theme = "${theme}"; }`,
        );
        // Hovered, too.
        await page.locator('[data-tone="primary"]').first().hover();
        const problems = await contrastViolations(page);
        if (problems.length > 0) found[`${brand} in ${theme}`] = problems;
      }
    }
    expect(found).toEqual({});
  });

  it("as one call, has headings below those of the page, and takes neither its focus nor its keys", async () => {
    const { visitor, page } = await open({ show: "detail" });
    await using _visitor = visitor;
    expect(await page.getByRole("heading", { level: 1 }).allTextContents()).toEqual(["Desk"]);
    await page.getByRole("heading", { level: 2, name: "Refund 80 EUR for order A-1" }).waitFor();
    await page.getByRole("heading", { level: 3, name: "What will happen" }).waitFor();
    expect(await page.evaluate("document.activeElement === document.body")).toBe(true);
    expect(await keysActing(page, ["d", "r", "?", "f6"], "body")).toEqual([]);
    expect(await keysActing(page, ["r"], ".cs-title")).toEqual(["r"]);
    expect(await violationsOf(page)).toEqual([]);
  });

  it("as one call, takes them if the page wants it", async () => {
    const { visitor, page } = await open({
      show: "detail",
      props: { headingLevel: 3, autoFocus: true, keys: "page" },
    });
    await using _visitor = visitor;
    await page.getByRole("heading", { level: 4, name: "What will happen" }).waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.className")).toBe("cs-title");
    expect(await keysActing(page, ["r"], "body")).toEqual(["r"]);
    expect(await keysActing(page, ["d"], "header input")).toEqual([]);
  });

  it("has no key, and prints none, if the page wants none", async () => {
    for (const show of ["card", "detail", "inbox"] as const) {
      const { visitor, page } = await open(
        { show, props: { keys: "none" } },
        { path: show === "inbox" ? "call" : "" },
      );
      await using _visitor = visitor;
      const inside = ".cs-root [tabindex]";
      expect([show, await keysActing(page, ["a", "d", "r", "e", "?", "f6", "mod+k"], inside)]).toEqual([
        show,
        [],
      ]);
      await visitor.button("Deny").click();
      await page.getByRole("form", { name: "Deny" }).waitFor();
      expect([show, await page.locator("kbd, [aria-keyshortcuts]").count()]).toEqual([show, 0]);
      await page.keyboard.press("2");
      expect(await page.getByRole("textbox", { name: /Reason/ }).inputValue()).toBe("");
    }
  });

  it("in the page, acts only on keys in it if the page wants that", async () => {
    const { visitor, page } = await open({ show: "inbox", props: { keys: "focused" } }, { path: "call" });
    await using _visitor = visitor;
    expect(await keysActing(page, ["r", "?", "mod+k"], "body")).toEqual([]);
    expect(await keysActing(page, ["r"], ".cs-title")).toEqual(["r"]);
  });

  it("tells the page its title instead of writing it, and sets no badge", async () => {
    const badges =
      "globalThis.badges = []; navigator.setAppBadge = async (count) => { badges.push(count); };";
    for (const titled of [true, false]) {
      const site = await desk();
      await site.ask(80);
      await using visitor = await visit(
        { url: new URL(site.url).origin },
        { as: "finance", path: hostPath({ show: "inbox", titled }), before: badges },
      );
      const { page } = visitor;
      await visitor.open("Refund 80 EUR");
      await visitor.heading("Refund 80 EUR for order A-1").waitFor();
      await visitor.settled();
      const told = (await page.evaluate("told.titles")) as unknown[];
      const title = "Refund 80 EUR for order A-1 · Approvals";
      expect([await page.title(), told.at(-1), await page.evaluate("badges.at(-1)")]).toEqual(
        titled ? ["Desk", [title, 1], undefined] : [`(1) ${title}`, undefined, 1],
      );
    }
  });

  it("tells the page what was decided", async () => {
    for (const show of ["card", "inbox"] as const) {
      const { visitor, page } = await open({ show }, { path: show === "inbox" ? "call" : "" });
      await using _visitor = visitor;
      await visitor.button("Deny").click();
      await page.getByRole("form", { name: "Deny" }).getByRole("button", { name: "Deny" }).click();
      await expect.poll(() => page.evaluate("told.decided")).toEqual([show === "card" ? "denied" : "held"]);
    }
  });

  it.each(["card", "detail"] as const)(
    "shows what the page adds below a value and beside the call, and the value itself with its marks: %s",
    async (show) => {
      const id = `A-${show}${" ".repeat(400)}\u202egnp`;
      const { visitor, page } = await open({ show, adds: "names" }, { refunds: [{ id, amount: 80 }] });
      await using _visitor = visitor;
      await page.getByText("Ada Lovelace’s order").waitFor();
      await page.getByText("Beside: id, amount").waitFor();
      const field = page.locator(".cs-field").filter({ has: page.locator("b") });
      expect(await field.locator(".cs-hidden-character").count()).toBeGreaterThan(0);
      expect(await field.getByRole("button", { name: "Mark as checked" }).count()).toBe(1);
    },
  );

  it("keeps the place of what is not seen, of warnings and of the decision, whatever the page adds", async () => {
    {
      const { visitor, page } = await open({ show: "detail", adds: "tall", props: { keys: "page" } });
      await using _visitor = visitor;
      await page.getByText("1 value below not seen yet").waitFor();
      // The key asks about it first.
      await page.keyboard.press("a");
      await page.getByRole("form", { name: "Approve" }).getByText("1 value below not seen yet").waitFor();
      expect(await page.evaluate("told.decided")).toEqual([]);
    }
    {
      const { visitor, page } = await open({ show: "card", adds: "covering" });
      await using _visitor = visitor;
      expect(
        await page.evaluate(`["h3", ".cs-number", ".cs-decision-bar"].map((each) => {
          const element = document.querySelector(".cs-card " + each);
          element.scrollIntoView();
          const { left, top, width, height } = element.getBoundingClientRect();
          return element.contains(document.elementFromPoint(left + Math.min(width / 2, 5), top + height / 2));
        })`),
      ).toEqual([true, true, true]);
    }
    const { visitor, page } = await open(
      { show: "card", adds: "broken" },
      { expected: /The host's page is broken/ },
    );
    await using _visitor = visitor;
    await page.locator(".cs-number").getByText("80").waitFor();
    await visitor.button("Deny").click();
    await page.getByRole("form", { name: "Deny" }).waitFor();
  });

  it("gives the page no value that is hidden from the reader, nor one that is being edited", async () => {
    const { visitor, page } = await open(
      { show: "detail", adds: "names" },
      { refunds: [{ id: "A-2", amount: 80 }] },
    );
    await using _visitor = visitor;
    expect(new Set((await page.evaluate("told.rendered")) as string[])).toEqual(new Set(["amount: 80"]));
    await visitor.button("Edit").click();
    const amount = page.getByRole("textbox", { name: "amount" });
    await amount.waitFor();
    // Until then it is a value like others, which the page may be asked for again.
    await page.evaluate("told.rendered = []");
    await amount.fill("70");
    expect(await page.evaluate("told.rendered")).toEqual([]);
  });

  it("has one stylesheet, without imports and without styles of the page", () => {
    expect(styleSheet).not.toMatch(/@import|:root|url\(/);
    const selectors = [...styleSheet.matchAll(/([^{}]+)\{/g)].flatMap(([, list = ""]) => list.split(","));
    expect(selectors.filter((selector) => /(^|[\s>])(html|body|\*)\b/.test(selector))).toEqual([]);
    console.log(`Styles: ${Math.round(brotliCompressSync(styleSheet).length / 1000)} kB, compressed`);
  });
});

describeInBrowser("the page of the inbox in a frame", (visit) => {
  const framing = (url: string) =>
    `<!doctype html><html lang="en"><title>Desk</title><link rel="icon" href="data:,"><iframe title="Approvals" src="${url}"></iframe></html>`;

  it("is shown to the origins that the server names, and to no others", async () => {
    let target = "";
    const host = await listenOn(
      async () => new Response(framing(target), { headers: { "content-type": "text/html" } }),
    );
    const pageFor = (frameAncestors?: readonly string[]) =>
      listenOn(async (request) =>
        inboxPage({ apiBase: "/api", basePath: "", ...(frameAncestors && { frameAncestors }) }).fetch(
          request,
        ),
      );
    const servers = await Promise.all([
      pageFor(),
      pageFor(["https://elsewhere.example"]),
      pageFor(["self", host.url]),
    ]);
    try {
      const shown = [];
      for (const { url } of servers) {
        target = url;
        await using visitor = await visit(host, { expected: /frame-ancestors|404|chrome-error/ });
        await visitor.page.waitForLoadState("load");
        shown.push(await visitor.page.frames()[1]?.evaluate("document.querySelector('#root') !== null"));
      }
      expect(shown).toEqual([false, false, true]);
    } finally {
      for (const server of [host, ...servers]) server.close();
    }
  });
});
