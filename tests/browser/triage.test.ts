import { expect, it } from "vitest";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { holdBack } from "../support/inbox/hold-back.js";
import { openRefundDesk, openRefunds } from "../support/inbox/refunds.js";
import { shared } from "../support/inbox/shared.js";
import { zoneOfNoon } from "../support/inbox/zone-of-noon.js";

/** Refunds that two people must approve, of these amounts. */
const forTwo = (...amounts: number[]) => amounts.map((amount) => ({ id: `T-${amount}`, amount }));

describeInBrowser("the lists of the inbox", (visit) => {
  const desk = shared(() => openRefundDesk(({ id }) => (id.startsWith("T-") ? { quorum: 2 } : {})));

  it("have what is left to do, with true counts, and what waits for others", async () => {
    const site = await desk();
    await site.ask(...forTwo(80, 90));
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
    const waiting = page.getByRole("list", { name: "Waiting for others" });
    await waiting.getByText("1 of 2").waitFor();
    expect(await page.title()).toMatch(/^\(1\)/);
    expect(await violations(page)).toEqual([]);
    await visitor.picture("list-waiting");
    await using requester = await visit(site, { as: "requester", path: "/?list=asked" });
    await requester.page.getByRole("list", { name: "Asked by you" }).getByText("Refund 80 EUR").waitFor();

    // When nothing is left to decide, how much was done and how much waits is shown once all of it is known.
    const left = (await site.harness.pending(2)).find(({ summary }) => summary.includes("Refund 90"));
    if (!left) throw new Error("unreachable");
    await site.harness.decide(left, "approve", "finance");
    const { arrived, release } = await holdBack(page, "**/*decidedAfter=*");
    await page.goto(site.url);
    await arrived;
    await visitor.heading("Nothing left to decide").waitFor();
    await tab(/Waiting for others\s*2/).waitFor();
    const link = page.getByRole("link", { name: "2 wait for others" });
    expect(await link.count()).toBe(0);
    release();
    await link.waitFor();
    // Big enough to press.
    expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(24);
    await link.click();
    await waiting.getByText("Refund 80 EUR").waitFor();
    expect(await waiting.getByText("1 of 2").count()).toBe(2);
  });

  it("are opened by the address of a call that another of them holds, with it as the current row", async () => {
    const site = await desk();
    const { calls } = await site.ask(80, ...forTwo(90));
    const [own, shared] = [80, 90].map((amount) =>
      calls.find(({ summary }) => summary.includes(`${amount} EUR`)),
    );
    if (!own || !shared) throw new Error("unreachable");
    await using visitor = await visit(site, { as: "requester", path: `/approvals/${own.id}` });
    const { page } = visitor;
    const current = (list: string) => page.getByRole("list", { name: list }).locator("[aria-current]");
    const title = page.locator(".cs-title:focus");
    await current("Asked by you").filter({ hasText: "Refund 80 EUR" }).waitFor();
    await title.filter({ hasText: "Refund 80 EUR" }).waitFor();
    expect(new URL(page.url()).search).toBe("?list=asked");
    // Others decide about both: there is nothing to select.
    await page.getByText("2 requests of one conversation").waitFor();
    expect(await page.getByRole("checkbox").count()).toBe(0);
    expect(await page.getByRole("button", { name: /^Select/ }).count()).toBe(0);

    // A link of somebody else, for whom another list has it.
    await using approver = await visit(site, { as: "finance", path: `/approvals/${shared.id}?list=asked` });
    const rows = approver.page.getByRole("list", { name: "For you" });
    await rows.locator("[aria-current]").filter({ hasText: "Refund 90 EUR" }).waitFor();
    expect(await rows.getByRole("checkbox").count()).toBe(2);
    // What leaves the list while it is open takes nobody to the list that has it then.
    await approver.ready();
    await approver.button("Approve").click();
    const lists = approver.page.getByRole("navigation", { name: "Lists" });
    await lists.getByRole("link", { name: /Waiting for others\s*1/ }).waitFor();
    expect(new URL(approver.page.url()).search).toBe("");
    await approver.open("Refund 80");
    await approver.heading(/Refund 80/).waitFor();
    await approver.page.goBack();
    await approver.page.locator(".cs-title").filter({ hasText: "Refund 90" }).waitFor();
    await approver.page.getByRole("list", { name: "Waiting for others" }).locator("[aria-current]").waitFor();
  });

  it("say how many are left and how much the reader decided today, beside them and after the last decision", async () => {
    // Nothing that an earlier test has decided.
    await using site = await openRefunds([80, 90, 100]);
    const [first] = await site.harness.pending(3);
    if (!first) throw new Error("unreachable");
    await site.harness.decide(first, "approve", "lead");
    await using visitor = await visit(site, { as: "finance", timezoneId: zoneOfNoon() });
    const { page } = visitor;
    const beside = page.getByRole("region", { name: "Approval" });
    await beside.getByRole("heading", { name: "2 wait for you" }).waitFor();
    await beside.getByText("press J for the most urgent").waitFor();
    await page.keyboard.press("j");
    await visitor.button("Approve: refund").click();
    await visitor.heading("Refund 100").waitFor();
    await page.keyboard.press("Escape");
    await beside.getByRole("heading", { name: "1 waits for you" }).waitFor();
    await beside.getByRole("link", { name: "1 decided today" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await visitor.picture("day-so-far");
    await page.goto(`${site.url}/?list=asked`);
    await beside.getByRole("heading", { name: "1 waits for you" }).waitFor();
    expect(await beside.getByText("press J").count()).toBe(0);

    await page.goto(site.url);
    await visitor.open(/Refund 100/);
    await visitor.button("Approve: refund").click();
    await visitor.heading("Nothing left to decide").waitFor();
    await page.getByRole("link", { name: "2 decided today" }).click();
    const rows = page.getByRole("list", { name: "Decided approvals" }).getByRole("listitem");
    await rows.filter({ hasText: "Refund 100 EUR" }).waitFor();
    expect(await rows.count()).toBe(2);
    await page.getByRole("button", { name: "Today", pressed: true }).waitFor();
    await page.getByRole("button", { name: "Decided by you" }).click();
    await expect.poll(() => rows.count()).toBe(3);
    expect(new URL(page.url()).searchParams.get("q")).toBe("since:today");
    expect(await violations(page)).toEqual([]);
    await visitor.picture("decided-today");
  });

  it("are searched and filtered in the address, which can be reloaded", async () => {
    const site = await desk();
    await site.ask(80, 90, 1250);
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
    const filters = page.getByRole("group", { name: "Filters" });
    for (const [name, button] of [
      ["Time", "Ends in 15 min"],
      ["People", "Assigned to me"],
    ] as const) {
      // The heading is on the screen, and names the group.
      await filters.getByText(name, { exact: true }).waitFor();
      await filters.getByRole("group", { name }).getByRole("button", { name: button }).waitFor();
    }
    await page.getByRole("button", { name: "Ends in 15 min" }).click();
    await page.getByText("Nothing matches.").waitFor();
    expect(new URL(page.url()).searchParams.get("q")).toBe("ends:15m");
    expect(await violations(page)).toEqual([]);
    await visitor.picture("list-filtered");
  });

  it("keep the focus on a heading, and the decision is four keys from the address bar, two from the heading", async () => {
    const site = await desk();
    await site.ask(...Array.from({ length: 12 }, (_, at) => 20 + at));
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    const focused = () =>
      page.evaluate<string>("document.activeElement.tagName + document.activeElement.textContent");
    await visitor.rows().nth(11).waitFor();
    await page.keyboard.press("j");
    await expect.poll(focused).toMatch(/^H1Refund 20/);
    await page.keyboard.press("j");
    await expect.poll(focused).toMatch(/^H1Refund 21/);
    // Until the page knows that all of the call is in view, the key asks once more.
    await page.locator("article[data-ready]:not(:has(.cs-unreviewed-note[data-some]))").waitFor();
    await page.keyboard.press("a");
    await expect.poll(focused).toMatch(/^H1Refund 22/);
    await page.keyboard.press("k");
    await expect.poll(focused).toMatch(/^H1Refund 20/);
    await page.reload();
    await expect.poll(focused).toMatch(/^H1Refund 20/);
    await visitor.ready();
    await page.keyboard.press("F6");
    await expect.poll(focused).toMatch(/^(BUTTON|A)/);
    expect(await page.locator("h1").count()).toBe(1);

    await visitor.ready();
    // From the address bar: what follows the place of an element that has the focus and goes.
    await page.evaluate(
      `document.body.prepend(Object.assign(document.createElement("a"), { href: "#", id: "start" }));
      const start = document.getElementById("start"); start.focus(); start.remove();`,
    );
    const keys = ["Tab", "Enter", "Tab", "Enter"];
    for (const key of keys) await page.keyboard.press(key);
    await expect.poll(() => focused()).toMatch(/^BUTTONApprove/);
  });
});
