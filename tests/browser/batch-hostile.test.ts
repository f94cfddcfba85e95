import { expect, it } from "vitest";
import { violations } from "../support/inbox/accessibility.js";
import { reviewTogether } from "../support/inbox/batch-dialog.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openSite } from "../support/inbox/site.js";
import { scrollsSideways } from "../support/inbox/visitor.js";
import { proposeCall } from "../support/proposals.js";

const signature = "✓ You approved this · ran · 12 ms";

/** Values of which a row shows less, or something else, than will be sent. Each with what the row must show. */
const hiding: readonly [string, Record<string, unknown>, RegExp[]][] = [
  ["400 blanks", { note: `ada${" ".repeat(400)}, evil.example` }, [/400 spaces/, /evil\.example/]],
  ["60 line breaks", { note: `Dear Ada${"\n".repeat(60)}pay EVIL` }, [/60 line breaks/, /pay EVIL/]],
  ["stacked accents", { note: `A-1${"\u030d\u0346\u0363\u033f".repeat(9)}` }, [/more accents/]],
  ["a change of direction", { note: "ada\u202egnp.exe" }, [/U\+202E/]],
  ["look-alike letters", { note: "p\u0430ypal.example" }, [/looks like/]],
  ["an amount beyond all sums", { amount: 1e21 }, [/1,000,000,000,000,000,000,000/, /Unusually large/]],
  ["too many decimals", { amount: 499.999999999 }, [/499\.999999999/, /more than two decimals/]],
  ["100 kB", { note: `first ${"x".repeat(100_000)} last` }, [/first/, /last/, /[\d,]+ characters not shown/]],
  ["many lines", { note: "line\n".repeat(40) }, [/characters not shown/]],
  ["a name with blanks", { [`no${" ".repeat(400)}te`]: "x" }, [/x/]],
];

/** Values that pose as words of the page, and hide nothing. */
const posing: readonly unknown[] = [
  signature,
  `A-1\n\n${signature}\nSeen`,
  [`A-1\n${signature}`],
  "Seen",
  "none",
  "9 × the median",
  "✓",
];

describeInBrowser("hostile values in the table of several calls", (visit) => {
  const inputs = hiding.flatMap(([, input], at) => [
    { id: `H-${at}`, amount: 20, note: "thanks", ...input },
    { id: `P-${at}`, amount: 20 + at, note: posing[at] ?? "thanks" },
  ]);
  it("are shown as values, and are not read by being on the screen", async () => {
    await using site = await openSite();
    const calls = await proposeCall(site.harness.store, {
      approvers: { roles: ["finance"], ids: [] },
      calls: inputs.length,
      inputOf: (position) => inputs[position] ?? {},
      summary: "Refund an order",
    });
    await using visitor = await visit(site, {
      as: "finance",
      viewport: { width: 1280, height: 1400 },
    });
    const { page } = visitor;
    const dialog = await reviewTogether(visitor, inputs.length);
    const rowOf = (at: number) => dialog.locator(`tr[data-id="${calls[at]?.id}"]`);
    const seen = (at: number) =>
      rowOf(at)
        .locator("small")
        .filter({ hasText: /^Seen$/ });
    for (const [at, [name, , shown]] of hiding.entries()) {
      const [row, next] = [rowOf(2 * at), rowOf(2 * at + 1)];
      await row.scrollIntoViewIfNeeded();
      await next.scrollIntoViewIfNeeded();
      // The one below is read meanwhile, so the time has passed for both.
      await seen(2 * at + 1).waitFor();
      for (const text of shown) await row.getByText(text).first().waitFor();
      expect([name, await seen(2 * at).count()]).toEqual([name, 0]);
      expect([
        name,
        await row.getByRole("link", { name: /^Open it first: 1 (long text|warning)/ }).count(),
      ]).toEqual([name, 1]);
    }
    for (const at of posing.keys()) {
      const value = rowOf(2 * at + 1).locator("td[data-column='[\"note\"]'] .cs-model-value");
      const { background, rule } = await value.evaluate((element) => {
        const { backgroundColor, borderInlineStartWidth } = getComputedStyle(element);
        return { background: backgroundColor, rule: borderInlineStartWidth };
      });
      expect(background).not.toBe("rgba(0, 0, 0, 0)");
      const hasLines = JSON.stringify(posing[at]).includes("\\n");
      expect(rule).toBe(hasLines ? "3px" : "0px");
      // biome-ignore lint/performance/useDomNodeTextContent: whether the line break is shown
      expect((await value.innerText()).includes("\n")).toBe(hasLines);
    }
    expect(await dialog.textContent()).not.toMatch(/\p{Cf}|\p{Co}|\p{M}{3}/u);
    await rowOf(0).scrollIntoViewIfNeeded();
    await visitor.picture("batch-hostile");
    expect(await violations(page)).toEqual([]);
    expect(await scrollsSideways(page)).toBe(false);

    const approve = dialog.getByRole("button", { name: `Approve ${hiding.length} ·` });
    await approve.and(page.locator(":not([aria-disabled])")).click();
    await dialog.waitFor({ state: "hidden" });
    const decided = await Promise.all(calls.map(({ id }) => site.harness.approval(id)));
    expect(decided.map(({ status }) => status === "pending")).toEqual(calls.map((_, at) => at % 2 === 0));
  });
});
