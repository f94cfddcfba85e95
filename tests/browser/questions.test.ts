import { afterAll, beforeAll, expect, it } from "vitest";
import { inTurns } from "../support/desk-tools.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openSite, type Site } from "../support/inbox/site.js";

const questions: Record<string, object> = {
  choice: { message: "Which carrier shall bring the parcel?", choices: ["DHL", "UPS", "GLS"] },
  form: {
    message: "Where does the customer live now?",
    form: {
      type: "object",
      properties: {
        street: { type: "string", title: "Street and number", minLength: 3 },
        country: { type: "string", title: "Country", enum: ["AT", "DE", "CH"] },
        floor: { type: "integer", title: "Floor", minimum: 0 },
        leaveAtDoor: { type: "boolean", title: "Leave at the door", description: "If nobody opens" },
      },
      required: ["street", "country"],
    },
  },
};

describeInBrowser("a question of the agent", (visit) => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite({
      tools: [],
      reply: (conversation) => {
        const userMessage = conversation.messages.findLast(({ role }) => role === "user");
        const input = questions[JSON.stringify(userMessage).includes("a choice") ? "choice" : "form"];
        return inTurns({ toolCalls: [{ name: "request_human_input", input: input ?? {} }] })(conversation);
      },
      network: (network, _step, countersign) => {
        const tool = countersign.requestHumanInput({ approvers: { roles: ["finance"] } });
        for (const agent of network.agents.values()) agent.tools.set(tool.name, tool);
        return undefined;
      },
    });
  });
  afterAll(async () => {
    await site?.[Symbol.asyncDispose]();
  });

  /** Has the agent ask, and opens the question. `lastModelRequest` waits for the run to end. */
  async function openQuestion(kind: "a choice" | "a form") {
    const { runId } = await site.harness.say(`Ask me ${kind}`);
    const question = await site.harness.onlyPending();
    const visitor = await visit(site, { as: "finance", path: `/approvals/${question.id}` });
    await visitor.heading(/^The agent asks$/).waitFor();
    const lastModelRequest = async () => {
      await site.harness.ended(runId);
      return JSON.stringify(site.harness.model.requests.at(-1)?.body);
    };
    return { visitor, lastModelRequest };
  }

  it("with choices is answered by one of them", async () => {
    const { visitor, lastModelRequest } = await openQuestion("a choice");
    await using _visitor = visitor;
    const { page } = visitor;
    const choice = page.getByRole("radio", { name: "UPS" });
    await choice.waitFor();
    await visitor.button("Send answer").click();
    await page.locator(".cs-problem").waitFor();
    await choice.check();
    await visitor.picture("question-choice");
    await visitor.button("Send answer").click();
    await page.getByText("You answered").first().waitFor();
    expect(await lastModelRequest()).toContain("UPS");
  });

  it("with a form is answered field by field", async () => {
    const { visitor, lastModelRequest } = await openQuestion("a form");
    await using _visitor = visitor;
    const { page } = visitor;
    await page.getByRole("textbox", { name: "Street and number" }).fill("Ringstrasse 5");
    await page.getByRole("radio", { name: "AT" }).check();
    await page.getByRole("textbox", { name: /Floor/ }).fill("third");
    await visitor.button("Send answer").click();
    await page.locator(".cs-problem").first().waitFor();
    await visitor.picture("question-form-wrong");
    await page.getByRole("textbox", { name: /Floor/ }).fill("3");
    await page.getByRole("checkbox", { name: /Leave at the door/ }).check();
    await visitor.picture("question-form");
    await visitor.button("Send answer").click();
    await page.getByText("You answered").first().waitFor();
    const request = await lastModelRequest();
    for (const part of ["Ringstrasse 5", "AT", "3", "leaveAtDoor"]) expect(request).toContain(part);
  });

  it("can be declined", async () => {
    const { visitor, lastModelRequest } = await openQuestion("a choice");
    await using _visitor = visitor;
    await visitor.button("Decline to answer").click();
    await visitor.page.getByText("You declined to answer").first().waitFor();
    expect(await lastModelRequest()).toContain("decline");
  });
});
