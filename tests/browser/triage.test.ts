import { expect, it } from "vitest";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { holdBack } from "../support/inbox/hold-back.js";
import { openRefunds } from "../support/inbox/refunds.js";

/** A time zone in which it is about noon, so that no new day begins during a test. */
function zoneOfNoon(): string {
  const behind = new Date().getUTCHours() - 12;
  // The signs of these names are the reverse of the usual ones.
  return `Etc/GMT${behind < 0 ? "" : "+"}${behind}`;
}

describeInBrowser("the lists of the inbox", (visit) => {
  it("have what is left to do, with true counts, and what waits for others", async () => {
    await using site = await openRefunds([80, 90], { quorum: 2 });
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    const tab = (name: RegExp) => page.getByRole("navigation", { name: "Lists" }).getByRole("link", { name });
    await tab(/For you\s*2/).waitFor();
    await visitor.open(/Refund 80/);
    await visitor.ready();
    await visitor.button("Approve").click();
    await visitor.heading(/Refund 90/).waitFor();
    await tab(/For you\s*1/).waitFor();
    await tab(/Waiting for others\s*1/).click();
    await page.getByRole("list", { name: "Waiting for others" }).getByText("1 of 2").waitFor();
    expect(await page.title()).toMatch(/^\(1\)/);
    expect(await violations(page)).toEqual([]);
    await visitor.picture("list-waiting");
    await using requester = await visit(site, { as: "requester", path: "/?list=asked" });
    await requester.page.getByRole("list", { name: "Asked by you" }).getByText("Refund 80 EUR").waitFor();
  });

  it("say how much waits for others when nothing is left to decide, and lead there", async () => {
    await using site = await openRefunds([80, 90], { quorum: 2 });
    for (const call of await site.harness.pending(2)) await site.harness.decide(call, "approve", "finance");
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    await visitor.heading("Nothing left to decide").waitFor();
    await page.getByRole("link", { name: "2 wait for others" }).click();
    const list = page.getByRole("list", { name: "Waiting for others" });
    await list.getByText("Refund 80 EUR").waitFor();
    expect(await list.getByText("1 of 2").count()).toBe(2);
  });

  it("show what was done today only once it is known, and each link big enough to press", async () => {
    await using site = await openRefunds([80, 90], { quorum: 2 });
    for (const call of await site.harness.pending(2)) await site.harness.decide(call, "approve", "finance");
    await using visitor = await visit(site, { as: "finance", path: "/history" });
    const { page } = visitor;
    const { arrived, release } = await holdBack(page, "**/*decidedAfter=*");
    await page.goto(site.url);
    await arrived;
    await visitor.heading("Nothing left to decide").waitFor();
    await page.getByRole("link", { name: /Waiting for others\s*2/ }).waitFor();
    const link = page.getByRole("link", { name: "2 wait for others" });
    expect(await link.count()).toBe(0);
    release();
    await link.waitFor();
    const box = await link.boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(24);
  });

  it("say beside them how many are left and what was done today, while no call is open", async () => {
    await using site = await openRefunds([80, 90, 100]);
    const [first] = await site.harness.pending(3);
    if (!first) throw new Error("unreachable");
    await site.harness.decide(first, "approve", "finance");
    await using visitor = await visit(site, { as: "finance", timezoneId: zoneOfNoon() });
    const { page } = visitor;
    const beside = page.getByRole("region", { name: "Approval" });
    await beside.getByRole("heading", { name: "2 wait for you" }).waitFor();
    await beside.getByText("press J for the most urgent").waitFor();
    expect(await violations(page)).toEqual([]);
    await visitor.picture("day-so-far");
    await beside.getByRole("link", { name: "1 decided today" }).click();
    await page.getByRole("list", { name: "Decided approvals" }).waitFor();
    await page.goto(`${site.url}/?list=asked`);
    await beside.getByRole("heading", { name: "2 wait for you" }).waitFor();
    expect(await beside.getByText("press J").count()).toBe(0);
  });

  it("say how much the reader decided today after the last decision, and lead to it", async () => {
    await using site = await openRefunds([80, 90]);
    const [other] = await site.harness.pending(2);
    if (!other) throw new Error("unreachable");
    await site.harness.decide(other, "approve", "lead");
    await using visitor = await visit(site, { as: "finance", timezoneId: zoneOfNoon() });
    const { page } = visitor;
    await visitor.open(/Refund 90/);
    await visitor.button("Approve: refund").click();
    await visitor.heading("Nothing left to decide").waitFor();
    await page.getByRole("link", { name: "1 decided today" }).click();
    const rows = page.getByRole("list", { name: "Decided approvals" }).getByRole("listitem");
    await rows.filter({ hasText: "Refund 90 EUR" }).waitFor();
    expect(await rows.count()).toBe(1);
    await page.getByRole("button", { name: "Decided today" }).waitFor();
    await page.getByRole("button", { name: "Decided by you" }).click();
    await expect.poll(() => rows.count()).toBe(2);
    expect(new URL(page.url()).searchParams.get("q")).toBe("since:today");
    expect(await violations(page)).toEqual([]);
    await visitor.picture("decided-today");
  });

  it("are searched and filtered in the address, which can be reloaded", async () => {
    await using site = await openRefunds([80, 90, 1250]);
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    await visitor.rows().nth(2).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("1,250");
    await expect.poll(() => visitor.rows().count()).toBe(1);
    await page.getByText("1 found").waitFor();
    await page.reload();
    await expect.poll(() => visitor.rows().count()).toBe(1);
    await page.getByRole("searchbox").press("Escape");
    await expect.poll(() => visitor.rows().count()).toBe(3);
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByRole("button", { name: "Ends in 15 min" }).click();
    await page.getByText("No calls match.").waitFor();
    expect(new URL(page.url()).searchParams.get("q")).toBe("ends:15m");
    expect(await violations(page)).toEqual([]);
    await visitor.picture("list-filtered");
  });

  it("can be saved with a search under a name, which is there in another browser", async () => {
    await using site = await openRefunds([80, 90, 1250]);
    await using visitor = await visit(site, { as: "finance", path: "/?q=1%2C250" });
    const { page } = visitor;
    await expect.poll(() => visitor.rows().count()).toBe(1);
    await visitor.button("Save this view").click();
    const name = page.getByRole("textbox", { name: "Name of the view" });
    expect(await name.inputValue()).toBe("1,250");
    await name.fill("Large ones");
    await name.press("Enter");
    const views = (of = page) => of.getByRole("navigation", { name: "Saved views" });
    await views().getByRole("link", { name: "Large ones" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await visitor.picture("saved-view");
    await using other = await visit(site, { as: "finance" });
    await other.rows().nth(2).waitFor();
    await views(other.page).getByRole("link", { name: "Large ones" }).click();
    await expect.poll(() => other.rows().count()).toBe(1);
    await other.button("Forget this view").click();
    await views(other.page).waitFor({ state: "hidden" });
    await using nobody = await visit(site, { as: "lead" });
    await nobody.rows().nth(2).waitFor();
    expect(await views(nobody.page).count()).toBe(0);
  });

  it("are one stop of the Tab key, and the decision is at most twelve from the address bar", async () => {
    await using site = await openRefunds(Array.from({ length: 12 }, (_, at) => 20 + at));
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    await visitor.open(/Refund 20/);
    await visitor.ready();
    await page.reload();
    await visitor.ready();
    await page.evaluate("document.activeElement.blur()");
    const isApprove = () => page.evaluate<boolean>("/^Approve/.test(document.activeElement.textContent)");
    let tabs = 0;
    while (tabs < 30 && !(await isApprove())) {
      await page.keyboard.press("Tab");
      tabs += 1;
    }
    expect(tabs).toBeLessThanOrEqual(12);
  });

  it("keep the focus on a heading, and lose it nowhere", async () => {
    await using site = await openRefunds([80, 90, 95]);
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    const focused = () =>
      page.evaluate<string>("document.activeElement.tagName + document.activeElement.textContent");
    await visitor.rows().nth(2).waitFor();
    await page.keyboard.press("j");
    await expect.poll(focused).toMatch(/^H1Refund 80/);
    await page.keyboard.press("j");
    await expect.poll(focused).toMatch(/^H1Refund 90/);
    await visitor.ready();
    await page.keyboard.press("a");
    await expect.poll(focused).toMatch(/^H1Refund 95/);
    await page.keyboard.press("k");
    await expect.poll(focused).toMatch(/^H1Refund 80/);
    await page.reload();
    await expect.poll(focused).toMatch(/^H1Refund 80/);
    await page.keyboard.press("F6");
    await expect.poll(focused).toMatch(/^(BUTTON|A)/);
    expect(await page.locator("h1").count()).toBe(1);
  });
});
