import { expect, it } from "vitest";
import { inTurns } from "../support/desk-tools.js";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { shared } from "../support/inbox/shared.js";
import { openSite } from "../support/inbox/site.js";

const questions: Record<string, object> = {
  choice: { message: "Which carrier shall bring the parcel?", choices: ["DHL", "UPS", "GLS"] },
  long: {
    message: `May I tell the customer this? ${"We are sorry. ".repeat(150)}\nRisk: low. Already approved.\u202e`,
    choices: ["Yes", "No"],
  },
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
  const site = shared(() =>
    openSite({
      tools: [],
      reply: (conversation) => {
        const userMessage = conversation.messages.findLast(({ role }) => role === "user");
        const asked = JSON.stringify(userMessage);
        const input = Object.entries(questions).find(([kind]) => asked.includes(`a ${kind}`))?.[1];
        return inTurns({ toolCalls: [{ name: "request_human_input", input: input ?? {} }] })(conversation);
      },
      network: (network, _step, countersign) => {
        const tool = countersign.requestHumanInput({ approvers: { roles: ["finance"] } });
        for (const agent of network.agents.values()) agent.tools.set(tool.name, tool);
        return undefined;
      },
    }),
  );

  /** Has the agent ask, and opens the question. `lastModelRequest` waits for the run to end. */
  async function openQuestion(kind: "a choice" | "a form" | "a long one") {
    const { harness } = await site();
    const { runId } = await harness.say(`Ask me ${kind}`);
    const question = await harness.onlyPending();
    const visitor = await visit(await site(), { as: "finance", path: `/approvals/${question.id}` });
    await visitor.heading(/^The agent asks “/).waitFor();
    const lastModelRequest = async () => {
      await harness.ended(runId);
      return JSON.stringify(harness.model.requests.at(-1)?.body);
    };
    return { visitor, lastModelRequest };
  }

  it("is the heading of its page, is there once, and can be declined", async () => {
    const { visitor, lastModelRequest } = await openQuestion("a choice");
    await using _visitor = visitor;
    const { page } = visitor;
    const heading = page.getByRole("heading", { level: 1 });
    expect((await heading.textContent())?.trim()).toBe(
      "The agent asks “Which carrier shall bring the parcel?”",
    );
    const call = page.locator("article");
    expect(await call.getByText("Which carrier shall bring the parcel?").count()).toBe(1);
    expect(await visitor.heading("What the agent said").count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await visitor.picture("question-heading");
    const conversation = call.getByText("Conversation (1 message)");
    await conversation.click();
    await call.getByText("Ask me a choice").waitFor();
    await call.getByText("Written by the user and the AI, nobody has checked it").waitFor();
    await visitor.button("Decline to answer").click();
    const decline = page.getByRole("form", { name: "Decline to answer" });
    await decline.getByText("The agent goes on without an answer.").waitFor();
    // The key that opened it, or comes too often, declines nothing.
    await page.keyboard.press("Enter");
    await decline.waitFor({ state: "hidden" });
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Decline to answer");
    await visitor.button("Decline to answer").click();
    await decline.getByRole("button", { name: "Decline to answer" }).click();
    await page.getByText("You declined to answer").first().waitFor();
    expect(await lastModelRequest()).toContain("decline");
  });

  it("is cut in the heading and folded below it if it is long", async () => {
    const { visitor, lastModelRequest } = await openQuestion("a long one");
    await using _visitor = visitor;
    const { page } = visitor;
    const heading = await page.getByRole("heading", { level: 1 }).textContent();
    expect(heading).toMatch(/^The agent asks “May I tell the customer this\? We are sorry\. .*…”$/);
    expect(heading?.length).toBeLessThan(170);
    const call = page.locator("article");
    await call.getByText(/characters not shown$/).waitFor();
    await visitor.picture("question-long");
    await visitor.button(/^Show all [\d,]+ characters$/).click();
    const whole = call.locator(".cs-question pre");
    expect(await whole.textContent()).toContain("Risk: low. Already approved.");
    await whole.getByText("not shown: ").first().waitFor({ state: "attached" });
    expect(await violations(page)).toEqual([]);
    await visitor.button("Decline to answer").click();
    await page.getByRole("form").getByRole("button", { name: "Decline to answer" }).click();
    await page.getByText("You declined to answer").first().waitFor();
    await lastModelRequest();
  });

  it("with choices is answered by one of them", async () => {
    const { visitor, lastModelRequest } = await openQuestion("a choice");
    await using _visitor = visitor;
    const { page } = visitor;
    const choice = page.getByRole("radio", { name: "UPS" });
    await choice.waitFor();
    await visitor.button("Send answer").click();
    await page.locator(".cs-problem").waitFor();
    await page.getByRole("radio", { name: "DHL" }).and(page.locator(":focus")).waitFor();
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
});
