import { proposeCall } from "../../proposals.js";
import type { Site } from "../site.js";
import type { Visitor } from "../visitor.js";

/** Something that the inbox can look like, and how to get there. */
export interface State {
  name: string;
  /** Who looks. @default finance */
  as?: string | null;
  /** The address, relative to the inbox. @default the list */
  path?: string;
  /** Does what leads to the state, and waits until it is there. */
  open(visitor: Visitor): Promise<unknown>;
}

/** No engine here has its runs, so none of them counts as lost, however long the pictures take. */
const appId = "elsewhere";
const approvers = { roles: ["finance", "lead"], ids: [] };
const everything = ["approve", "edit", "deny"] as const;
const sentence = (amount: string, order: string) => ({
  summaryParts: [
    { text: "Refund " },
    { value: amount, path: "amount" },
    { text: " EUR for order " },
    { value: order, path: "orderId" },
  ],
});

const fakeSignature = `Paid\n${"\n".repeat(60)}✓ You approved this · ran · 12 ms`;

/** Puts one call of each kind into a site. */
export async function fillGallery({ harness: { store } }: Site) {
  const propose = async (id: string, options: Parameters<typeof proposeCall>[1]) => {
    const [call] = await proposeCall(store, { ids: id, appId, approvers, requesterId: "ada", ...options });
    if (!call) throw new Error("unreachable");
    return call;
  };
  const refund = (amount: string, order: string) => ({
    input: { orderId: order, amount: Number(amount), currency: "EUR", reason: "The parcel never arrived" },
    summary: `Refund ${amount} EUR for order ${order}`,
  });
  const decide = (call: Awaited<ReturnType<typeof propose>>, type: "approve" | "deny", as = "finance") =>
    store.decide({
      ...{ approvalId: call.id, digest: call.digest, type },
      principal: { id: as, tenantId: "acme", roles: [as] },
      reason: type === "deny" ? "The parcel was delivered yesterday, signed by a neighbour" : null,
    });

  await propose("low", {
    ...refund("12.50", "A-1001"),
    risk: "low",
    terms: {
      decisions: [...everything],
      editable: ["amount"],
      grantable: ["user"],
      ...sentence("12.50", "A-1001"),
    },
  });
  await propose("hostile", {
    toolName: "send_customer_an_unusually_long_message",
    input: {
      to: "someone.with.a.very.long.address@an-even-longer-domain-name.example.com",
      blanks: `Dear customer,${" ".repeat(400)}we owe you nothing.`,
      lines: fakeSignature,
      accents: `Zal${"\u0300\u0301\u0302\u0303\u0304".repeat(12)}go`,
      direction: "\u202Egnp.eciovni\u202C",
      huge: 1e21,
      nearly: 499.999999999,
      nested: { a: { b: { c: { d: "deep" } } } },
      unbroken: "x".repeat(3000),
    },
    summary: "Write to someone.with.a.very.long.address@an-even-longer-domain-name.example.com",
  });
  await propose("high", { ...refund("1250", "A-1002"), risk: "high", terms: sentence("1,250", "A-1002") });
  await propose("critical", {
    ...refund("5000", "A-1003"),
    risk: "critical",
    terms: sentence("5,000", "A-1003"),
  });
  const voted = await propose("voted", {
    ...refund("2400", "A-1004"),
    risk: "high",
    terms: { quorum: 2, ...sentence("2,400", "A-1004") },
  });
  await decide(voted, "approve");
  await propose("question", {
    toolName: "request_human_input",
    verdict: "manual",
    input: {
      message: "Which carrier shall bring the parcel, and may it be left at the door if nobody opens?",
      choices: ["DHL", "UPS", "GLS"],
    },
    summary: "Which carrier shall bring the parcel?",
    terms: { decisions: ["respond", "deny"] },
  });
  // Each can be decided once, and each language has a turn.
  for (const order of ["A-1008", "A-1009", "A-1010"]) {
    await propose(`slip-${order}`, { ...refund("20", order), risk: "low", terms: sentence("20", order) });
  }
  await proposeCall(store, {
    ...{ ids: "like", appId, calls: 10, approvers, requesterId: "ben", threadId: "many" },
    inputOf: (at) => ({ orderId: `B-${at + 1}`, amount: at === 7 ? 900 : 20 + at, currency: "EUR" }),
    summary: "Refund an order of ben",
  });

  const executed = await propose("executed", { ...refund("80", "A-1005"), terms: sentence("80", "A-1005") });
  await decide(executed, "approve");
  await store.claim(executed.id, "once", () => undefined);
  await store.finish(executed.id, {
    status: "executed",
    outcomeJson: JSON.stringify({ data: { status: "refunded", orderId: "A-1005", amount: 80 } }),
  });
  await decide(
    await propose("denied", { ...refund("81", "A-1006"), terms: sentence("81", "A-1006") }),
    "deny",
  );
  const cut = await propose("interrupted", { ...refund("82", "A-1007"), terms: sentence("82", "A-1007") });
  await decide(cut, "approve");
  await store.claim(cut.id, "once", () => undefined);
  await store.withdrawRun(cut.runId ?? "", "run_failed");
}

const call = (id: string, at = 0) => `/approvals/apr_${id}_${at}`;
const shown = ({ page }: Visitor) => page.locator("article[data-ready]").waitFor();
/** A call in the list. */
const row = (page: Visitor["page"], at = 0) => page.locator("a[data-row]").nth(at);
/** The call that has this element is open. */
const has = (selector: string) => async (visitor: Visitor) =>
  visitor.page.locator(selector).first().waitFor();

export const states: readonly State[] = [
  { name: "sign-in", as: null, open: has(".cs-sign-in h1") },
  { name: "list", open: ({ page }) => row(page, 5).waitFor() },
  { name: "nothing-left", as: "auditor", open: has(".cs-empty h2") },
  {
    name: "filters",
    path: "/?q=risk%3Ahigh",
    async open({ page }) {
      await row(page).waitFor();
      await page.keyboard.press("f");
      await page.locator(".cs-filters").waitFor();
    },
  },
  { name: "call", path: call("low"), open: shown },
  { name: "hostile-call", path: call("hostile"), open: has(".cs-unreviewed, .cs-decision-bar") },
  {
    name: "deny",
    path: call("low"),
    async open(visitor) {
      await shown(visitor);
      await visitor.page.keyboard.press("d");
      await visitor.page.locator("form.cs-panel").waitFor();
    },
  },
  {
    name: "edit",
    path: call("low"),
    async open(visitor) {
      await shown(visitor);
      await visitor.page.keyboard.press("e");
      await visitor.page.getByRole("textbox", { name: "amount" }).fill("10");
      await visitor.page.locator(".cs-changes").waitFor();
    },
  },
  {
    name: "allow",
    path: call("low"),
    async open(visitor) {
      await shown(visitor);
      await visitor.page.locator(".cs-decision-buttons [aria-haspopup=menu]").click();
      await visitor.page.getByRole("menuitem").first().waitFor();
    },
  },
  {
    name: "arming",
    path: call("high"),
    async open(visitor) {
      await shown(visitor);
      await visitor.page.keyboard.press("a");
      await visitor.page.locator("form.cs-panel").waitFor();
    },
  },
  {
    name: "typing",
    path: call("critical"),
    async open(visitor) {
      await shown(visitor);
      await visitor.page.keyboard.press("a");
      await visitor.page.locator("form.cs-panel").waitFor();
    },
  },
  { name: "my-part-done", path: `${call("voted")}?list=waiting`, open: has(".cs-banner") },
  { name: "question", path: call("question"), open: has(".cs-answer") },
  {
    name: "executed",
    path: "/history/apr_executed_0",
    async open({ page }) {
      await page.locator(".cs-trail > summary").click();
      await page.locator('.cs-integrity[data-state="intact"]').waitFor();
    },
  },
  { name: "denied", path: "/history/apr_denied_0", open: has(".cs-banner") },
  { name: "interrupted", path: "/history/apr_interrupted_0", open: has(".cs-resolutions") },
  {
    name: "batch",
    path: call("like"),
    async open({ page }) {
      await row(page, 5).waitFor();
      await page.locator(".cs-group-row button", { hasText: "10" }).click();
      await page.keyboard.press("b");
      await page.getByRole("dialog").getByRole("grid").waitFor();
    },
  },
  {
    name: "commands",
    async open({ page }) {
      await row(page).waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("option").first().waitFor();
    },
  },
  {
    name: "help",
    async open({ page }) {
      await row(page).waitFor();
      await page.keyboard.press("?");
      await page.locator(".cs-shortcuts").first().waitFor();
    },
  },
  {
    name: "stop",
    as: "lead",
    async open({ page }) {
      await row(page).waitFor();
      await page.locator('.cs-header button:has([data-icon="critical"])').click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "taken-back",
    async open({ page, ready }) {
      await page.locator('a[href*="apr_slip"]').first().click();
      await ready();
      await page.keyboard.press("a");
      await page.locator(".cs-toasts button").first().waitFor();
    },
  },
  {
    name: "offline",
    path: call("high"),
    async open(visitor) {
      await shown(visitor);
      await visitor.context.setOffline(true);
      await visitor.page.locator('.cs-app > .cs-banner[data-tone="warning"]').first().waitFor();
    },
  },
];
