import { type McpTools, mcpTools } from "@countersign/mcp/client";
import { allow, definePolicy } from "countersign";
import { afterAll, beforeAll, expect, it } from "vitest";
import { callsFromMessage, callsOf } from "../support/calls-from-message.js";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openSite, type Site } from "../support/inbox/site.js";
import { scrollsSideways, type VisitOptions } from "../support/inbox/visitor.js";
import { type TripSite, tripSite } from "../support/mcp/trip-site.js";

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
const longHost = `${"account-verification-".repeat(2)}pay.a-very-long-name-of-a-shop.example.com`;

describeInBrowser("a question of an MCP server", (visit) => {
  let trips: TripSite;
  let connected: McpTools;
  let site: Site;
  beforeAll(async () => {
    trips = await tripSite();
    connected = await mcpTools({
      servers: { trips: { url: trips.url, questions: { approvers: { roles: ["finance"] } } } },
    });
    site = await openSite({
      tools: connected.tools,
      policy: definePolicy({ tools: { "trips-*": allow() } }),
      reply: callsFromMessage,
    });
  });
  afterAll(async () => {
    await site?.[Symbol.asyncDispose]();
    await connected?.close();
    await trips?.[Symbol.asyncDispose]();
  });

  /** Has a tool of the server ask, and opens the question. `lastModelRequest` waits for the run to end. */
  async function openQuestion(tool: "book" | "pay", trip: string, options: VisitOptions = {}) {
    const { runId } = await site.harness.say(callsOf({ name: `trips-${tool}`, input: { trip } }));
    const question = await site.harness.onlyPending();
    const visitor = await visit(site, { as: "finance", path: `/approvals/${question.id}`, ...options });
    await visitor.heading(/^trips asks “/).waitFor();
    await visitor.context.route(/example\.com|xn--/, (route) =>
      route.fulfill({ contentType: "text/html", body: "<title>Pay</title>" }),
    );
    const { page } = visitor;
    return {
      visitor,
      page,
      link: page.getByRole("link", { name: /^Open .+ \(in a new tab\)$/ }),
      confirm: visitor.button(/^I have opened it/),
      warnings: page.getByRole("list", { name: "Warnings about this address" }),
      async lastModelRequest() {
        await site.harness.ended(runId);
        return JSON.stringify(site.harness.model.requests.at(-1)?.body);
      },
      /** Declines the question, so that the next test starts without one. */
      async decline() {
        await visitor.button("Decline to answer").click();
        await page.getByRole("form").getByRole("button", { name: "Decline to answer" }).click();
        // On a phone, the page holds the list too, but hides it.
        await page.getByText("You declined to answer").filter({ visible: true }).first().waitFor();
      },
    };
  }

  it("names the server, as does a call of the server's tool", async () => {
    await site.harness.say(callsOf({ name: "trips-cancel_trip", input: { trip: "Oslo" } }));
    const call = await site.harness.onlyPending();
    await using visitor = await visit(site, { as: "finance", path: `/approvals/${call.id}` });
    await visitor.page
      .getByText("trips-cancel_trip of the connected service trips by agent support")
      .waitFor();
    await site.harness.decide(call, "deny");
  });

  it("with a form is answered in the inbox", async () => {
    const { visitor, page, lastModelRequest } = await openQuestion("book", "Oslo");
    await using _visitor = visitor;
    await page.getByText("Written by a connected service, nobody has checked it").waitFor();
    await page.getByText("Who gets the answer").waitFor();
    expect(await page.getByText("The tool does not run").count()).toBe(0);
    await page.getByRole("radio", { name: "On the aisle" }).check();
    await visitor.picture("server-question-form");
    await visitor.button("Send answer").click();
    await page.getByText("You answered").first().waitFor();
    expect(await lastModelRequest()).toContain("booked Oslo, aisle");
  });

  it("with an address shows the whole origin, has a link for who may answer it, and is confirmed only after that was opened", async () => {
    const { visitor, page, link, confirm, warnings, lastModelRequest } = await openQuestion("pay", "Oslo");
    await using _visitor = visitor;
    expect(await page.locator(".cs-address-origin").textContent()).toBe("https://pay.example.com");
    await page.getByText("https://pay.example.com/trips?id=Oslo", { exact: true }).waitFor();
    expect(await warnings.count()).toBe(0);
    expect(await confirm.getAttribute("aria-disabled")).toBe("true");
    await page.getByRole("status").filter({ hasText: "Open pay.example.com above first" }).waitFor();
    await confirm.click({ force: true });
    await page.keyboard.press("Enter");
    expect(trips.deeds.filter(({ tool }) => tool === "pay")).toEqual([]);
    expect(await violations(page)).toEqual([]);
    await visitor.picture("server-question-address");
    const { id } = await site.harness.onlyPending();
    await using reader = await visit(site, { as: "requester", path: `/approvals/${id}` });
    await reader.page.locator(".cs-address-origin").waitFor();
    expect(await reader.page.locator(".cs-address a").count()).toBe(0);
    expect(await link.count()).toBe(1);

    const opening = visitor.context.waitForEvent("page");
    await link.focus();
    await page.keyboard.press("Enter");
    const opened = await opening;
    await opened.waitForURL("https://pay.example.com/trips?id=Oslo");
    expect(await opened.evaluate("document.referrer + String(window.opener)")).toBe("null");
    await page.bringToFront();
    await page.getByRole("status").filter({ hasText: "You opened pay.example.com" }).waitFor();
    expect(await confirm.getAttribute("aria-disabled")).toBeNull();
    await confirm.click();
    await page.getByText("You answered").first().waitFor();
    expect(await link.count()).toBe(0);
    expect(await lastModelRequest()).toContain("payment: accept");
  });

  it("has a warning of a domain in other alphabets, on a phone", async () => {
    const trip = `https://login.pаypal.${longHost}:8443/pay?for=Oslo`;
    const question = await openQuestion("pay", trip, phone);
    const { visitor, page, warnings } = question;
    await using _visitor = visitor;
    const origin = page.locator(".cs-address-origin");
    expect(await origin.textContent()).toBe(new URL(trip).origin);
    expect(new URL(trip).origin).toContain("xn--pypal-4ve");
    await warnings.getByText("letters of other alphabets").waitFor();
    const cut = `(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
        scrollWidth > clientWidth || scrollHeight > clientHeight)(document.querySelector(".cs-address-origin"))`;
    expect(await page.evaluate(cut)).toBe(false);
    expect(await scrollsSideways(page)).toBe(false);
    expect(await violations(page)).toEqual([]);
    await question.link.scrollIntoViewIfNeeded();
    await visitor.picture("server-question-deceptive");
    await question.decline();
    expect(await question.lastModelRequest()).toContain("payment: decline");
  });

  it("has a warning of a domain before the @ in an address", async () => {
    const before = `const plain = window.fetch;
      window.fetch = async (...request) => {
        const response = await plain(...request);
        if (!response.headers.get("content-type")?.includes("json")) return response;
        const text = (await response.text()).replaceAll("https://pay.", "https://paypal.com@evil.");
        return new Response(text || null, response);
      };`;
    const question = await openQuestion("pay", "Rome", { before });
    const { visitor, page, warnings, link } = question;
    await using _visitor = visitor;
    expect(await page.locator(".cs-address-origin").textContent()).toBe("https://evil.example.com");
    await warnings.getByText("The page belongs to evil.example.com").waitFor();
    expect(await link.textContent()).toContain("Open evil.example.com");
    await question.decline();
  });
});
