import { expect, it } from "vitest";
import { openBatch } from "../support/inbox/batch-dialog.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";

const terms = {
  decisions: ["approve", "edit", "deny"] as ("approve" | "edit" | "deny")[],
  editable: ["amount"],
};

describeInBrowser("a table of several calls that is interrupted", (visit) => {
  it("has the choices and the reason again after a call was opened from it", async () => {
    const { site, visitor, page, dialog, row, read, act } = await openBatch(visit, [80, 90, 95], { terms });
    await using _site = site;
    await using _visitor = visitor;
    const { keyboard } = page;
    await read(3);
    await row(80).focus();
    await keyboard.press("d");
    await row(90).focus();
    await keyboard.press("Space");
    await dialog.getByRole("textbox", { name: /Reason for denying/ }).fill("Refunded in the shop");
    await keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await visitor.open("Refund 95 EUR");
    await visitor.ready();
    await keyboard.press("b");
    await act("Approve 1 · 95 and deny 1").waitFor();
    expect(await row(90).getAttribute("data-choice")).toBe("leave");
    expect(await dialog.getByRole("textbox", { name: /Reason for denying/ }).inputValue()).toBe(
      "Refunded in the shop",
    );
    await keyboard.press("Escape");
    await visitor.button("Clear").click();
    await visitor.button("Select 3").click();
    await keyboard.press("b");
    await act("Approve 3 · 265").waitFor();
  });
});
