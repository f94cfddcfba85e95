import { expect, it } from "vitest";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefunds } from "../support/inbox/refunds.js";
import { shared } from "../support/inbox/shared.js";
import type { VisitOptions } from "../support/inbox/visitor.js";
import { zoneOfNoon } from "../support/inbox/zone-of-noon.js";

describeInBrowser("history", (visit) => {
  const desk = shared(async () => {
    const site = await openRefunds([10, 20, 30, 40, 50, 60]);
    const { harness, database } = site;
    if (database.kind !== "postgres") throw new Error("unreachable");
    const ids: Record<string, string> = {};
    /** How many hours before now each was decided. */
    const hoursAgo = new Map([
      [10, 0],
      [20, 24],
      [30, 25],
      [40, 48],
    ]);
    const calls = await harness.pending(6);
    for (const call of calls) {
      const { amount } = call.input as { amount: number };
      ids[amount] = call.id;
      const hours = hoursAgo.get(amount);
      if (hours === undefined) continue;
      await harness.decide(call, "deny", "lead");
      await database.admin`update countersign.approvals
        set decided_at = decided_at - make_interval(hours => ${hours}) where id = ${call.id}`;
    }
    const newest = calls.find(({ id }) => id === ids[50]);
    if (!newest) throw new Error("unreachable");
    return Object.assign(site, { ids, newest });
  });

  async function open(path: string, options: Partial<VisitOptions> = {}) {
    const site = await desk();
    const visitor = await visit(site, { as: "finance", timezoneId: zoneOfNoon(), path, ...options });
    const { page } = visitor;
    const list = page.getByRole("list", { name: "Decided approvals" });
    const sentences = list.locator(".cs-row-sentence");
    return {
      ...{ site, visitor, page },
      /** Waits until these refunds are listed. */
      lists: (...amounts: number[]) =>
        expect
          .poll(() => sentences.allTextContents())
          .toEqual(amounts.map((amount) => expect.stringContaining(`Refund ${amount} EUR`))),
      /** Waits until this refund is shown, and its row is the current one. */
      async shows(amount: number) {
        await page
          .locator(".cs-title")
          .filter({ hasText: `Refund ${amount} EUR` })
          .waitFor();
        await list.locator(`[aria-current][data-row="${site.ids[amount]}"]`).waitFor();
      },
      hasFocus: (selector: string) => page.locator(`${selector}:focus`).waitFor(),
      place: () => new URL(page.url()).pathname.replace(/^\/inbox/, ""),
      search: () => new URL(page.url()).searchParams.get("q"),
    };
  }

  it("shows a call decided yesterday with at most six keys from the open list", async () => {
    const { visitor, page, lists, shows, hasFocus } = await open("");
    await using _visitor = visitor;
    await visitor.rows().first().waitFor();
    const keys: string[] = [];
    const press = async (...given: string[]) => {
      for (const key of given) {
        keys.push(key);
        await page.keyboard.press(key);
      }
    };
    await press("Control+k");
    await hasFocus(".cs-palette-input");
    await press("y", "e", "s");
    await page.locator(".cs-palette [data-highlighted]").filter({ hasText: "History: Yesterday" }).waitFor();
    await press("Enter");
    await lists(20, 30);
    await shows(20);
    await visitor.picture("history-yesterday");
    await press("j");
    await shows(30);
    await hasFocus(".cs-title");
    expect(keys.length).toBeLessThanOrEqual(6);
  });

  it("filters by days in the reader's time zone, both of them whole, and says which", async () => {
    const { visitor, page, lists, search } = await open("/history");
    await using _visitor = visitor;
    await lists(10, 20, 30, 40);
    const time = page.getByRole("group", { name: "Time" });
    const press = (name: string) => time.getByRole("button", { name, exact: true }).click();
    await press("Yesterday");
    await lists(20, 30);
    await expect.poll(() => page.title()).toContain("History: Yesterday");
    expect(await violations(page)).toEqual([]);
    await press("Today");
    await lists(10);
    expect(search()).toBe("since:today");
    await press("7 days");
    await lists(10, 20, 30, 40);
    expect(search()).toBe("days:7");
    await press("7 days");
    await expect.poll(search).toBeNull();

    const date = (await page.evaluate(`(() => {
      const day = new Date();
      day.setDate(day.getDate() - 1);
      return [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
    })()`)) as string;
    await page.keyboard.press("/");
    await page.keyboard.type(`since:${date} until:${date}`);
    await lists(20, 30);
    await page.getByRole("button", { name: /^Remove filter: Decided since \w{3} \d+, \d{4}$/ }).click();
    await lists(20, 30, 40);
    expect(search()).toBe(`until:${date}`);
  });

  it("shows the newest beside the list without taking the focus, and what the address names", async () => {
    const { site, visitor, page, lists, shows, place, hasFocus } = await open("");
    await using _visitor = visitor;
    const link = page.getByRole("link", { name: "History" });
    await link.click();
    await lists(10, 20, 30, 40);
    await shows(10);
    expect(place()).toBe("/history");
    await expect.poll(() => page.title()).toMatch(/History · /);
    expect(await page.locator("h1").allTextContents()).toHaveLength(1);
    expect(await violations(page)).toEqual([]);
    await link.and(page.locator(":focus")).waitFor();

    // A newer decision changes nothing under the hand.
    await site.harness.decide(site.newest, "deny", "lead");
    await lists(50, 10, 20, 30, 40);
    await shows(10);

    await page.keyboard.press("j");
    await shows(20);
    await hasFocus(".cs-title");
    expect(place()).toBe(`/history/${site.ids[20]}`);
    await page.keyboard.press("k");
    await shows(10);
    await page.goBack();
    await shows(20);
    await page.goBack();
    await shows(50);
    expect(place()).toBe("/history");
    await page.goBack();
    await visitor.rows().first().waitFor();
    await page.goForward();
    await shows(50);
    await page.keyboard.press("Enter");
    await hasFocus(".cs-title");
    expect(place()).toBe(`/history/${site.ids[50]}`);

    await page.goto(`${site.url}/history/${site.ids[40]}`);
    await shows(40);
    await hasFocus(".cs-title");
  });

  it("is a list alone on a phone, whose newest call opens with Enter", async () => {
    const { site, visitor, page, lists, place, hasFocus } = await open(
      "/history?q=since:yesterday+until:yesterday",
      {
        viewport: { width: 390, height: 844 },
      },
    );
    await using _visitor = visitor;
    await lists(20, 30);
    await visitor.settled();
    await visitor.picture("history-phone");
    expect(await page.locator(".cs-title").count()).toBe(0);
    expect(place()).toBe("/history");
    await page.keyboard.press("Enter");
    await hasFocus(".cs-title");
    expect(place()).toBe(`/history/${site.ids[20]}`);
  });
});
