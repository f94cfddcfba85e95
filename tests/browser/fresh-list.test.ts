import { expect, it } from "vitest";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openSite } from "../support/inbox/site.js";
import { proposeCall } from "../support/proposals.js";

describeInBrowser("a list of which nothing was opened", (visit) => {
  it("shows questions as their text, and counts warnings", async () => {
    await using site = await openSite();
    const { store } = site.harness;
    const note = `ada\u202egnp${" ".repeat(400)}exe`;
    await proposeCall(store, { input: { note }, summary: "Send a file" });
    const question = { toolName: "request_human_input", verdict: "manual" as const };
    await proposeCall(store, {
      ...question,
      input: { message: "Which carrier shall bring it?" },
      summary: "request_human_input with message: …",
    });
    await using visitor = await visit(site, { as: "finance" });
    const rows = visitor.rows();
    await rows.nth(1).waitFor();
    await rows.filter({ hasText: "Send a file" }).getByText("2 warnings").waitFor();
    await rows.filter({ hasText: "“Which carrier shall bring it?”" }).waitFor();
    expect(await visitor.page.getByText("request_human_input").count()).toBe(0);
  });
});
