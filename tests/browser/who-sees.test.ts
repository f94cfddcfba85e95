import { expect, it } from "vitest";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefunds } from "../support/inbox/refunds.js";
import { shared } from "../support/inbox/shared.js";

describeInBrowser("the inbox", (visit) => {
  const refund = shared(async () => {
    const site = await openRefunds([80]);
    return Object.assign(site, { path: `/approvals/${(await site.harness.onlyPending()).id}` });
  });

  it("shows only the sign-in page before a sign-in and after a sign-out", async () => {
    const site = await refund();
    await using visitor = await visit(site, { path: site.path, expected: /401 \(Unauthorized\)/ });
    const { page } = visitor;
    await visitor.heading("Approvals").waitFor();
    expect(await page.content()).not.toContain("Refund");
    await visitor.picture("sign-in");
    await page.getByLabel("Token").fill("nobody");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("alert").waitFor();

    await visitor.button("Finance").click();
    await visitor.heading("Refund 80 EUR").waitFor();
    await visitor.button(/menu$/).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await visitor.heading("Approvals").waitFor();
    expect(await page.locator("body").textContent()).not.toContain("Refund");
    await page.reload();
    await visitor.heading("Approvals").waitFor();
  });

  it("shows nothing of an approval to another tenant at its address", async () => {
    const site = await refund();
    await using visitor = await visit(site, {
      as: "stranger",
      path: site.path,
      expected: /404 \(Not Found\)/,
    });
    const { page } = visitor;
    await visitor.heading("Approval not found").waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Approval not found");
    await visitor.heading("Nothing left to decide").waitFor();
    await page
      .getByText(/^You are signed in as \S+ \(roles? [^)]+\)\. What only others may see is not listed\.$/)
      .waitFor();
    expect(await page.content()).not.toContain("Refund");
    await visitor.picture("another-tenant");
  });

  it("shows requesters their own call without a button to decide it", async () => {
    const site = await refund();
    await using visitor = await visit(site, { as: "requester", path: site.path });
    await visitor.heading("Refund 80 EUR").waitFor();
    await visitor.page.getByText("You requested this").waitFor();
    expect(await visitor.button("Approve: refund").count()).toBe(0);
  });
});
