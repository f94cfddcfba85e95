import type { Principal } from "countersign";
import { expect, it } from "vitest";
import { principals } from "../support/harness.js";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefunds } from "../support/inbox/refunds.js";

const named: Principal[] = [
  { id: "finance", tenantId: "acme", roles: ["finance"], displayName: "Fiona Fin" },
  { id: "lead", tenantId: "acme", roles: ["lead"], displayName: "Lena Lead" },
  { id: "support", tenantId: "acme", roles: ["support"], displayName: "Sam Support" },
  { id: "stranger", tenantId: "other", roles: ["finance"], displayName: "Str Anger" },
];
const accountants = Array.from({ length: 12 }, (_, at) => ({
  ...{
    id: `accountant-${at + 1}`,
    tenantId: "acme",
    roles: ["finance"],
    displayName: `Accountant ${at + 1}`,
  },
}));

describeInBrowser("assigning an approval", (visit) => {
  /** Opens the dialog "Reassign" of a pending refund, as finance. */
  async function openDialog(directory: readonly Principal[] | undefined, options = {}) {
    const site = await openRefunds([80], {}, directory && { directory });
    const waiting = await site.harness.onlyPending();
    const path = `/approvals/${waiting.id}`;
    const visitor = await visit(site, { as: "finance", path, ...options });
    await visitor.button("Reassign").click();
    const dialog = visitor.page.getByRole("dialog", { name: "Reassign" });
    await dialog.getByText(/It is shown as assigned to them/).waitFor();
    return {
      site,
      visitor,
      dialog,
      waiting,
      people: dialog.getByRole("group", { name: "Assign to" }),
    };
  }

  it("works by mouse for a person whom the host names", async () => {
    const { site, visitor, dialog, waiting, people } = await openDialog(named);
    await using _site = site;
    await using _visitor = visitor;
    await people.waitFor();
    // The list leaves out the reader, people who may not decide, and people of other tenants.
    expect(await people.getByRole("radio").count()).toBe(2);
    await people.getByText("Lena Lead lead").click();
    expect(await violations(visitor.page)).toEqual([]);
    await visitor.picture("assign");
    await dialog.getByRole("button", { name: "Assign" }).click();
    await visitor.page.getByText("Assigned to Lena Lead").waitFor();
    expect((await site.harness.approval(waiting.id)).assigneeId).toBe("lead");
    await site.harness.decide(waiting, "deny");
    await site.harness.ended(site.runId);
  });

  it("works by keyboard for one of many people after a search, on a small phone", async () => {
    const options = { viewport: { width: 320, height: 568 } };
    const { site, visitor, dialog, waiting, people } = await openDialog([...named, ...accountants], options);
    await using _site = site;
    await using _visitor = visitor;
    const { keyboard } = visitor.page;
    await people.getByRole("searchbox", { name: "Find by name or role" }).focus();
    await keyboard.type("accountant 12");
    await people.getByRole("radio", { name: /^Accountant 1 / }).waitFor({ state: "detached" });
    // Enter in the search field submits nothing.
    await keyboard.press("Enter");
    await visitor.picture("assign-search");
    await keyboard.press("Tab");
    await keyboard.press("Space");
    expect(await people.getByRole("radio", { name: /^Accountant 12 / }).isChecked()).toBe(true);
    expect((await site.harness.approval(waiting.id)).assigneeId).toBe(null);
    await keyboard.press("Enter");
    await visitor.page.getByText("Assigned to Accountant 12").waitFor();
    await dialog.waitFor({ state: "hidden" });
    await site.harness.decide(waiting, "deny");
    await site.harness.ended(site.runId);
  });

  it("works by the id of a person whom the host does not name, also if it names nobody else", async () => {
    const { site, visitor, dialog, people } = await openDialog(named);
    await using _site = site;
    await using _visitor = visitor;
    await people.getByText("Someone else").click();
    await dialog.getByRole("textbox", { name: "Person's ID" }).fill("auditor");
    await visitor.picture("assign-somebody-else");
    await dialog.getByRole("button", { name: "Assign" }).click();
    await visitor.page.getByText("Assigned to auditor").waitFor();
    await site.harness.decide(await site.harness.onlyPending(), "deny");
    await site.harness.ended(site.runId);

    const alone = await openDialog(Object.values(principals).filter(({ id }) => id === "finance"));
    await using _alone = alone.site;
    await using _visitorAlone = alone.visitor;
    await alone.dialog.getByRole("textbox", { name: "Assign to" }).fill("lead");
    expect(await alone.dialog.getByRole("radio").count()).toBe(0);
    await alone.dialog.getByRole("button", { name: "Assign" }).click();
    await alone.visitor.page.getByText("Assigned to lead").waitFor();
    await alone.site.harness.decide(alone.waiting, "deny");
    await alone.site.harness.ended(alone.site.runId);
  });
});
