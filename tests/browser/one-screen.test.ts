import { expect, it } from "vitest";
import { recordedSum } from "../support/counts.js";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { shared } from "../support/inbox/shared.js";
import { openSite } from "../support/inbox/site.js";
import { recordedPreview } from "../support/previews.js";
import { proposeCall } from "../support/proposals.js";

const screens = [
  { name: "a phone", width: 390, height: 740 },
  { name: "a laptop", width: 1280, height: 720 },
];

describeInBrowser("a call with three arguments", (visit) => {
  const open = shared(openSite);

  it.each(screens)(
    "is complete on $name, with its buttons, and one key approves it",
    async ({ name, ...viewport }) => {
      const { harness } = await open();
      const site = await open();
      const input = { id: "A-1005", amount: 240, reason: "The parcel never arrived" };
      const [call] = await proposeCall(harness.store, {
        approvers: { roles: ["finance"], ids: [] },
        ...{ risk: "medium", input, requesterId: "ada" },
        terms: {
          decisions: ["approve", "edit", "deny"],
          editable: ["amount"],
          counts: [{ ...recordedSum, total: 240 }],
          preview: recordedPreview(
            [{ target: "order A-1005", before: "paid 240.00", after: "refunded 240.00" }],
            "30m",
          ),
        },
      });
      await using visitor = await visit(site, { as: "finance", path: `/approvals/${call?.id}`, viewport });
      const { page } = visitor;
      await visitor.ready();
      await visitor.picture(`one-screen-${name.replace("a ", "")}`);
      expect(await page.locator(".cs-unreviewed-note[data-some]").count()).toBe(0);
      const below = await page.evaluate<number>(`(() => {
      const bar = document.querySelector(".cs-decision-bar").getBoundingClientRect();
      const fields = [...document.querySelectorAll(".cs-arguments .cs-field")];
      return fields.filter((field) => field.getBoundingClientRect().bottom > bar.top).length;
    })()`);
      expect(below).toBe(0);
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press("a");
      await page.getByText("You approved").first().waitFor();
    },
  );
});
