import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { shared } from "../support/inbox/shared.js";
import { openSite } from "../support/inbox/site.js";
import { scrollsSideways } from "../support/inbox/visitor.js";
import { proposeCall } from "../support/proposals.js";

const markup = `<img src=x onerror="alert(1)"><script>globalThis.hacked = true</script>`;

function nested(levels: number): object {
  let inner: object = { bottom: "the very bottom" };
  for (let level = 1; level < levels; level++) inner = { [`level${level}`]: inner };
  return inner;
}

describeInBrowser("a call with hostile arguments", (visit) => {
  const open = shared(openSite);

  async function look(input: Record<string, unknown>, modelText?: string) {
    const site = await open();
    const approvers = { roles: ["finance"], ids: [] };
    const [approval] = await proposeCall(site.harness.store, {
      input,
      approvers,
      ...(modelText && { modelText }),
    });
    const visitor = await visit(site, { as: "finance", path: `/approvals/${approval?.id}` });
    await visitor.heading("What will happen").waitFor();
    /** Checks that the page still answers keys, and that no script of the call has run. */
    const expectUsable = async () => {
      const { page } = visitor;
      await page.keyboard.press("d");
      await page.getByRole("textbox", { name: /Reason/ }).waitFor();
      await page.keyboard.press("Escape");
      await visitor.button("Approve: refund").waitFor();
      expect(await page.evaluate("globalThis.hacked")).toBeUndefined();
      expect(await scrollsSideways(page)).toBe(false);
    };
    return { visitor, expectUsable };
  }

  it("has its markup and addresses shown as plain text", async () => {
    const link = "[click](javascript:alert(1)) https://evil.example";
    const { visitor, expectUsable } = await look({ [markup]: markup, link, template: "{{7*7}}" }, markup);
    await using _visitor = visitor;
    const detail = visitor.page.getByRole("article");
    await detail.getByText(markup, { exact: true }).first().waitFor();
    await detail.getByText(link, { exact: true }).waitFor();
    expect(await detail.locator("img, script, iframe").count()).toBe(0);
    expect(await detail.getByRole("link").count()).toBe(0);
    await expectUsable();
    await visitor.picture("hostile-markup");
  });

  it("has characters that change or hide text shown as labels", async () => {
    const { visitor, expectUsable } = await look({
      to: "ada\u202egnp.exe",
      terminal: "\u001b[31mred\u001b[0m\u0007",
      space: "zero\u200bwidth\ufeff",
      tag: "plain\u{e0041}\u{e0042}",
      lookalike: "p\u0430ypal.example",
    });
    await using _visitor = visitor;
    const { page } = visitor;
    for (const name of ["U+202E", "U+001B", "U+200B", "U+FEFF", "U+E0041"]) {
      await page.locator(".cs-hidden-character").filter({ hasText: name }).first().waitFor();
    }
    expect(await page.getByRole("article").textContent()).not.toMatch(/\p{Cf}|\p{Co}/u);
    await expectUsable();
    await visitor.picture("hostile-characters");
  });

  it("leaves the page usable with a text of a million characters and with 500 nested levels", async () => {
    const { visitor, expectUsable } = await look({ text: "word ".repeat(200_000), deep: nested(500) });
    await using _visitor = visitor;
    const { page } = visitor;
    const all = page.getByRole("button", { name: /^Show all [\d,]+ characters/ });
    await all.first().click();
    await page.getByRole("button", { name: "Show less" }).first().waitFor();
    await expectUsable();
    await visitor.picture("hostile-size");
    await page.keyboard.press("r");
    await page.getByText("the very bottom").first().waitFor();
    await expectUsable();
  });

  it("is shown on a page that runs no foreign scripts and sends no requests elsewhere", async () => {
    const site = await open();
    const response = await fetch(site.url);
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/script-src 'self'(;|$)/);
    expect(policy).not.toContain("unsafe");

    let requests = 0;
    const otherServer = createServer((_request, answer) => {
      requests += 1;
      answer.end();
    });
    await new Promise<void>((resolve) => otherServer.listen(0, "127.0.0.1", resolve));
    const { port } = otherServer.address() as AddressInfo;
    await using attacked = await visit(site, { as: "finance", expected: /Content Security Policy/ });
    await attacked.settled();
    const origins = await attacked.page.evaluate(
      "[...new Set(performance.getEntriesByType('resource').map(({ name }) => new URL(name).origin))]",
    );
    expect(origins).toEqual([new URL(site.url).origin]);
    await attacked.page.evaluate(
      `const script = document.createElement("script"); script.textContent = "globalThis.hacked = true";
       document.body.append(script);
       const image = new Image(); image.src = "http://127.0.0.1:${port}/"; document.body.append(image);
       fetch("http://127.0.0.1:${port}/").catch(() => {});`,
    );
    expect(await attacked.page.evaluate("globalThis.hacked")).toBeUndefined();
    expect(requests).toBe(0);
    otherServer.close();
  });
});
