import type { Principal } from "countersign";
import { afterAll, beforeAll, expect, it } from "vitest";
import { violations, violationsOf } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openSite, type Site } from "../support/inbox/site.js";
import { scrollsSideways, type Visitor } from "../support/inbox/visitor.js";
import { policyOf } from "../support/policy-of.js";
import { proposeCall } from "../support/proposals.js";

const finance: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
const day = 86_400_000;
const panesScroll = `{
  const panes = document.querySelector(".cs-panes");
  panes.scrollWidth > panes.clientWidth;
}`;

interface Decided {
  toolName: string;
  rule: string;
  type: "approve" | "deny";
  calls: number;
  daysAgo: number;
  waitMs: number;
}

describeInBrowser("the page Insight", (visit) => {
  let site: Site;
  let emptySite: Site;
  beforeAll(async () => {
    emptySite = await openSite();
    site = await openSite({
      policy: policyOf([
        { id: "refunds", tools: "issue_refund", verdict: "ask", reason: "Money leaves the shop" },
        { id: "mails", tools: "send_email", verdict: "ask" },
      ]),
    });
    await decided({
      toolName: "issue_refund",
      rule: "refunds",
      type: "approve",
      calls: 24,
      daysAgo: 15,
      waitMs: 90_000,
    });
    await decided({
      toolName: "send_email",
      rule: "mails",
      type: "deny",
      calls: 3,
      daysAgo: 3,
      waitMs: 7_200_000,
    });
    await decided({
      toolName: "send_email",
      rule: "mails",
      type: "approve",
      calls: 4,
      daysAgo: 3,
      waitMs: 7_200_000,
    });
  });
  afterAll(async () => {
    await site?.[Symbol.asyncDispose]();
    await emptySite?.[Symbol.asyncDispose]();
  });

  /** Calls that finance decided some days ago. */
  async function decided({ toolName, rule, type, calls, daysAgo, waitMs }: Decided): Promise<void> {
    const { database, harness } = site;
    if (database.kind !== "postgres") throw new Error("unreachable");
    const proposed = await proposeCall(harness.store, {
      ...{ toolName, calls, approvers: { roles: ["finance"], ids: [] } },
      summary: `Call ${toolName} for A-1`,
      inputOf: (at) => ({ amount: 10 + at }),
      terms: { reasons: [{ rule, reason: "Money leaves the shop", adds: {} }] },
    });
    for (const { id, digest } of proposed) {
      await harness.store.decide({ approvalId: id, digest, type, reason: null, principal: finance });
    }
    const asked = new Date(Date.now() - daysAgo * day);
    await database.admin`
      update countersign.approvals set created_at = ${asked}, announced_at = ${asked},
        decided_at = ${new Date(asked.getTime() + waitMs)},
        status = case when status = 'approved' then 'executed' else status end
      where id = any(${proposed.map(({ id }) => id)})`;
  }

  const rowsOf = async (page: import("playwright-core").Page, name: string) =>
    (await page.getByRole("table", { name }).getByRole("row").all()).length - 1;

  /** On a phone and a small one, only the tables scroll sideways. */
  async function fitsOnPhones(visitor: Visitor, picture: string): Promise<void> {
    const { page } = visitor;
    await visitor.picture(picture);
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 700 });
      expect(await scrollsSideways(page)).toBe(false);
      expect(await page.evaluate(panesScroll)).toBe(false);
      await visitor.picture(`${picture}-${width}`);
    }
    expect(await violationsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
  }

  it("lists the waits, the longest first, and links each number to the history", async () => {
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    await visitor.openMore("Insight");
    await visitor.heading("How long requests wait").waitFor();
    expect(await page.title()).toContain("Insight");
    expect(await page.getByRole("heading", { level: 1 }).allTextContents()).toEqual(["Insight"]);
    await page.getByText("People were asked about 31 requests in the last 30 days.").waitFor();
    const rules = page.getByRole("table", { name: "By tool and rule, the longest wait first" });
    expect(await rules.getByRole("row").allTextContents()).toEqual([
      expect.stringContaining("Tool and rules"),
      expect.stringMatching(/^send_emailmails2 h2 h7/),
      expect.stringMatching(/^issue_refundrefunds1 min1 min24/),
    ]);
    const approvers = page.getByRole("table", { name: "How fast each person decides" });
    expect(await approvers.getByRole("row").nth(1).textContent()).toBe("finance1 min31");
    const denied = rules.getByRole("link", { name: "3 denied requests of send_email, in the history" });
    expect(await denied.getAttribute("href")).toBe(
      "/inbox/history?q=tool%3Asend_email+outcome%3Adenied+days%3A30",
    );
    expect(await rowsOf(page, "Approved every time")).toBe(1);
    expect(await rowsOf(page, "Denied often")).toBe(1);
    expect(await page.getByRole("link", { name: "Suggested rules" }).count()).toBe(0);
    await page.goto(`${site.url}/insight/suggestions`);
    await page.getByText("Only auditors see suggested rules").waitFor();
  });

  it("keeps the period in the address, and is found by the commands", async () => {
    await using visitor = await visit(site, { as: "finance", path: "/insight?days=7" });
    const { page } = visitor;
    await page.getByText("People were asked about 7 requests in the last 7 days.").waitFor();
    expect(await page.getByRole("radio", { name: "7 days" }).isChecked()).toBe(true);
    expect(await page.getByText("Not enough decisions yet").count()).toBe(0);
    await page.getByRole("radio", { name: "7 days" }).press("ArrowRight");
    await page.getByText("People were asked about 31 requests in the last 30 days.").waitFor();
    expect(new URL(page.url()).search).toBe("?days=30");
    await expect.poll(() => page.evaluate("document.activeElement.value")).toBe("30");
    await visitor.openMore("Standing permissions");
    await visitor.heading("Standing permissions").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "Insight" }).click();
    await visitor.heading("How long requests wait").waitFor();
  });

  it("is a link of the menu More, which moves by arrow keys and gives the focus back", async () => {
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    const more = visitor.button(/^More/);
    const focused = () => page.evaluate("document.activeElement.textContent") as Promise<string>;
    await more.press("Enter");
    await page.getByRole("menu").waitFor();
    await page.keyboard.press("ArrowDown");
    await expect.poll(focused).toBe("Standing permissions");
    expect(await violations(page)).toEqual([]);
    await visitor.picture("more-menu");
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "hidden" });
    await expect.poll(focused).toBe("More");
    expect(await more.getAttribute("aria-current")).toBeNull();
    await page.keyboard.press("Enter");
    await page.getByRole("menu").waitFor();
    await page.keyboard.press("ArrowUp");
    await expect.poll(focused).toBe("Insight");
    await page.keyboard.press("Enter");
    await visitor.heading("How long requests wait").waitFor();
    await expect.poll(focused).toBe("MoreInsight");
    expect(await more.getAttribute("aria-current")).toBe("page");
    await visitor.picture("more-insight");
  });

  it("leads auditors to what policy suggest would write, with the calls that it comes from", async () => {
    await using visitor = await visit(site, {
      ...{ as: "auditor", path: "/insight", permissions: ["clipboard-read", "clipboard-write"] },
    });
    const { page } = visitor;
    const link = page.getByRole("link", { name: "Suggested rules" });
    await link.waitFor();
    expect(await violations(page)).toEqual([]);
    await fitsOnPhones(visitor, "insight");
    await link.click();
    const card = page.getByRole("article", { name: "issue_refund: people approved all 20 like this" });
    await card.waitFor();
    expect(await page.getByRole("heading", { level: 1 }).allTextContents()).toEqual(["Suggested rules"]);
    await card.getByText("No later decision has tested it.").waitFor();
    expect(await violations(page)).toEqual([]);
    await fitsOnPhones(visitor, "suggestions");
    const when = "input.amount >= 12 && input.amount <= 31 && size(input) == 1";
    await card.getByRole("button", { name: "Copy" }).first().click();
    await card.getByText("Copied").waitFor();
    expect(JSON.parse(await page.evaluate("navigator.clipboard.readText()"))).toEqual({
      ...{ id: "approved-issue_refund", tools: "issue_refund", verdict: "notify", when },
      reason: "Money leaves the shop",
    });
    await card.getByText(`"when": "!(${when})"`).waitFor();
    const calls = card.getByRole("list", { name: "The latest of them:" });
    expect(await calls.getByRole("link").count()).toBe(5);
    await calls.getByRole("link").first().click();
    await visitor.heading("Call issue_refund for A-1").waitFor();
  });

  it("says when nobody was asked, and when the numbers cannot be loaded", async () => {
    await using visitor = await visit(emptySite, { as: "finance", path: "/insight", expected: /503/ });
    const { page } = visitor;
    await visitor.heading("Nothing waited for people in the last 30 days").waitFor();
    await page.route("**/api/insight?days=90", (route) =>
      route.fulfill({ status: 503, contentType: "application/problem+json", body: "{}" }),
    );
    await page.getByRole("radio", { name: "90 days" }).click();
    await page.getByText("The numbers could not be loaded").waitFor();
    await page.unroute("**/api/insight?days=90");
    await visitor.button("Try again").click();
    await visitor.heading("Nothing waited for people in the last 90 days").waitFor();
  });
});
