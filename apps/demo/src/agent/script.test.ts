import { type Conversation, type ModelFormat, scriptedModel } from "@countersign/testing";
import { PGlite } from "@electric-sql/pglite";
import { createState, type Message } from "@inngest/agent-kit";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Desk } from "../desk/desk.js";
import { openDesk } from "../desk/open-desk.js";
import { agentKitModel, chooseModel } from "./choose-model.js";
import { supportScript } from "./script.js";
import { createSupportNetwork } from "./support-network.js";
import { supportTools } from "./support-tools.js";

// One database for the file, because starting one is slow.
let pglite: PGlite;
let desk: Desk;
beforeAll(async () => {
  pglite = await PGlite.create();
  desk = await openDesk({ pglite });
});
afterAll(() => pglite.close());
beforeEach(async () => {
  await pglite.exec("delete from demo.effects; update demo.orders set status = 'paid'");
  await pglite.exec(
    "insert into demo.customers values ('C-4', '', ''), ('C-7', '', '') on conflict do nothing",
  );
});

/** Runs the network without approvals and without an engine, against the strict model over HTTP. */
async function ask(format: ModelFormat, message: string) {
  const model = scriptedModel({ reply: supportScript });
  await using server = await model.listen();
  const network = createSupportNetwork({
    tools: supportTools(desk),
    model: agentKitModel(chooseModel({ kind: "scripted", format }, `${server.url}/v1`)),
  });
  const run = await network.run(message, { state: createState({}) });
  const answers = run.state.results.map(({ output }) => output.flatMap(contentOf));
  const statuses = model.requests.map(({ status }) => status);
  return { answers, statuses, effects: (await desk.effects()).map(({ toolName }) => toolName) };
}

function contentOf(message: Message): unknown[] {
  if (message.type === "tool_call") return message.tools.map(({ name, input }) => ({ name, input }));
  return message.type === "text" ? [message.content] : [];
}

const lookUp = (orderId: string) => ({ name: "lookup_order", input: { orderId } });
const refund = (orderId: string, customerId: string, amount: number) => ({
  name: "issue_refund",
  input: { orderId, customerId, amount },
});
const remove = (customerId: string) => ({ name: "delete_customer", input: { customerId } });
const email = (to: string) => ({ name: "send_email", input: expect.objectContaining({ to }) });

describe.each<ModelFormat>(["openai", "anthropic"])("the support agent in %s format", (format) => {
  it.each<[string, unknown[][], string[]]>([
    [
      "Please refund order A-1001",
      [[lookUp("A-1001")], [refund("A-1001", "C-1", 49.9)], ["Order A-1001 is refunded: 49.90 EUR."]],
      ["issue_refund"],
    ],
    [
      "Refund A-1001 and A-1002 and tell the customer",
      [
        [refund("A-1001", "C-1", 49.9), refund("A-1002", "C-1", 24.5), email("customer-1@example.com")],
        [
          expect.stringContaining(
            "Order A-1002 is refunded: 24.50 EUR. The email to customer-1@example.com is done.",
          ),
        ],
      ],
      ["issue_refund", "issue_refund", "send_email"],
    ],
    [
      "Refund A-1001, then email the customer",
      [
        [refund("A-1001", "C-1", 49.9)],
        [email("customer-1@example.com")],
        [expect.stringContaining("is refunded")],
      ],
      ["issue_refund", "send_email"],
    ],
    [
      "Delete customer C-7",
      [[remove("C-7")], ["The deletion of customer C-7 is done."]],
      ["delete_customer"],
    ],
    [
      "Look up order A-1003",
      [[lookUp("A-1003")], ["Order A-1003 of customer C-2: 89.00 EUR, paid, card ending in 1185."]],
      [],
    ],
    [
      "Look up A-1004, refund A-1004 and delete customer C-4",
      [
        [lookUp("A-1004"), refund("A-1004", "C-2", 35.75), remove("C-4")],
        [expect.stringContaining("Order A-1004 is refunded")],
      ],
      ["issue_refund", "delete_customer"],
    ],
    [
      "Pay out 5000 EUR to supplier S-3",
      [
        [
          {
            name: "pay_supplier",
            input: { supplierId: "S-3", amount: 5000, iban: "CH02 0070 0110 0006 0249 7" },
          },
        ],
        ["Supplier S-3 is paid: 5000.00 EUR."],
      ],
      ["pay_supplier"],
    ],
    [
      "Call customer C-3 about A-1005",
      [
        [{ name: "call_customer", input: { customerId: "C-3", about: "order A-1005" } }],
        [expect.stringMatching(/^The call to customer C-3 failed\. Details: Only a person can phone/)],
      ],
      [],
    ],
    [
      "Refund 20 EUR of A-1005",
      [[lookUp("A-1005")], [refund("A-1005", "C-3", 20)], ["Order A-1005 is refunded: 20.00 EUR."]],
      ["issue_refund"],
    ],
    ["Hello", [[expect.stringMatching(/^Hello! I understand/)]], []],
    ["What is the weather?", [[expect.stringMatching(/^I understand/)]], []],
    [
      "Please refund order A-9999",
      [
        [lookUp("A-9999")],
        [expect.stringMatching(/^The lookup of order A-9999 failed\. Details: There is no order A-9999/)],
      ],
      [],
    ],
  ])("answers “%s”", async (message, answers, effects) => {
    const result = await ask(format, message);
    expect(result.answers).toEqual(answers);
    expect(result.statuses).toEqual(answers.map(() => 200));
    expect(result.effects).toEqual(effects);
  });
});

describe("supportScript", () => {
  const conversation = (messages: Conversation["messages"]): Conversation => ({
    format: "openai",
    system: "",
    messages,
    tools: [],
  });
  const answered = (parsed: unknown) => ({
    role: "tool" as const,
    toolCallId: "c1",
    toolName: "issue_refund",
    content: JSON.stringify(parsed),
    parsed,
  });
  const proposed = {
    role: "assistant" as const,
    toolCalls: [
      { id: "c1", name: "issue_refund", input: { orderId: "A-1001", customerId: "C-1", amount: 49.9 } },
    ],
  };
  const refusedWith = (code: string, message: string) =>
    conversation([
      { role: "user", text: "Refund A-1001, then email the customer" },
      proposed,
      answered({ error: { code, message } }),
    ]);

  it("answers only the last user message of a thread", () => {
    const before: Conversation["messages"] = [
      { role: "user", text: "Refund A-1001 and A-1002" },
      proposed,
      answered({ data: { status: "refunded", orderId: "A-1001", amount: 49.9 } }),
      { role: "assistant", text: "Done", toolCalls: [] },
    ];
    const next = supportScript(conversation([...before, { role: "user", text: "Delete customer C-7" }]));
    expect(next.toolCalls).toEqual([remove("C-7")]);
    const repeated = supportScript(
      conversation([...before, { role: "user", text: "Please refund order A-1001" }]),
    );
    expect(repeated.toolCalls).toEqual([lookUp("A-1001")]);
  });

  it("continues after a denial with an email that claims no refund", () => {
    const { toolCalls } = supportScript(refusedWith("denied_by_person", "Not today."));
    expect(toolCalls).toMatchObject([
      { name: "send_email", input: { body: expect.stringContaining("could not make the refund") } },
    ]);
  });

  it.each([
    ["Email customer C-3", "Please get in touch with us about your account."],
    ["Email customer C-1 about A-1001", "You paid for order A-1001 with your card ending in 1111."],
    ["Refund A-1001 and tell the customer", "We are refunding order A-1001 to your card ending in 1111."],
  ])("writes only what was asked for in an email: %s", (text, body) => {
    const { toolCalls } = supportScript(conversation([{ role: "user", text }]));
    expect(toolCalls?.at(-1)).toMatchObject({ name: "send_email", input: { body } });
  });

  it.each([
    ["denied_by_person", "A person denied it. Their reason: no receipt", "a person denied it"],
    ["denied_by_policy", "The policy forbids it.", "the policy does not allow it"],
    ["approval_expired", "The time expired.", "nobody decided in time and the request expired"],
    ["approval_withdrawn", "The run was cancelled.", "the request was withdrawn"],
    ["execution_interrupted", "It may or may not have run.", "may or may not have been carried out"],
  ])("reports %s with its message and claims no refund", (code, message, explanation) => {
    const { messages } = refusedWith(code, message);
    const text =
      supportScript(conversation([{ role: "user", text: "Refund A-1001 and A-1002" }, ...messages.slice(1)]))
        .text ?? "";
    expect(text).toContain("The refund of 49.90 EUR for order A-1001");
    expect(text).toContain(explanation);
    expect(text).toContain(message);
    expect(text).not.toContain("is refunded");
  });

  it("passes on the answer that a person gave in place of the tool", () => {
    const { text } = supportScript(
      conversation([
        { role: "user", text: "Refund A-1001 and A-1002" },
        proposed,
        answered({ data: "Paid in cash" }),
      ]),
    );
    expect(text).toContain("was answered with: Paid in cash");
  });

  it.each([
    [
      "Ask which carrier to use for A-1002",
      { choice: "DHL" },
      { name: "book_carrier", input: { orderId: "A-1002", carrier: "DHL" } },
    ],
    [
      "Ask for the customer's new address for A-1003",
      { street: "Ringstrasse 5", floor: 3 },
      { name: "change_address", input: { orderId: "A-1003", street: "Ringstrasse 5", floor: 3 } },
    ],
  ])("calls the next tool with a person's answer to: %s", (text, content, expectedCall) => {
    const user = { role: "user" as const, text };
    const [question] = supportScript(conversation([user])).toolCalls ?? [];
    expect(question?.name).toBe("request_human_input");
    const { toolCalls } = supportScript(
      conversation([
        user,
        {
          role: "assistant",
          toolCalls: [{ ...question, id: "c1", name: "request_human_input", input: question?.input }],
        },
        answered({ data: { action: "accept", content } }),
      ]),
    );
    expect(toolCalls).toEqual([expectedCall]);
  });

  it("books a courier, and passes on the text of the courier's server", () => {
    const user = { role: "user" as const, text: "Book a courier for A-1004" };
    const booking = { name: "courier-book", input: { orderId: "A-1004" } };
    expect(supportScript(conversation([user])).toolCalls).toEqual([booking]);
    const { text } = supportScript(
      conversation([
        user,
        { role: "assistant", toolCalls: [{ id: "c1", ...booking }] },
        answered({ data: [{ type: "text", text: "A courier is booked." }] }),
      ]),
    );
    expect(text).toBe("A courier is booked.");
  });

  it("reports an edited call with the arguments that it ran with", () => {
    const { text } = supportScript(
      conversation([
        { role: "user", text: "Refund A-1001 and A-1002" },
        proposed,
        answered({ data: { status: "refunded", orderId: "A-1001", amount: 20 } }),
      ]),
    );
    expect(text).toBe("Order A-1001 is refunded: 20.00 EUR.");
  });
});
