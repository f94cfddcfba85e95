import { type EmailOptions, email } from "@countersign/channels/email";
import { ask, CountersignError, createCountersign, definePolicy } from "countersign";
import { pgliteStore } from "countersign/pglite";
import { Inngest } from "inngest";
import { describe, expect, it } from "vitest";
import { exampleCard } from "../../support/example-delivery.js";

const valid: EmailOptions = {
  transport: "smtps://ada:s3cret@smtp.example.com",
  from: "approvals@example.com",
  recipients: { default: "finance@example.com" },
};

function problemOf(changes: Record<string, unknown>): string {
  try {
    email({ ...valid, ...changes } as EmailOptions);
  } catch (error) {
    if (!CountersignError.isInstance(error)) throw error;
    expect(error.code).toBe("invalid_option");
    expect(error.message).not.toContain("s3cret");
    return error.message;
  }
  return "";
}

it("a rule with email in decideIn is refused at start, because e-mail only notifies", () => {
  const start = (decideIn: string[]) =>
    createCountersign({
      inngest: new Inngest({ id: "desk", isDev: true }),
      store: pgliteStore(),
      policy: definePolicy({ tools: { refund: ask({ risk: "low", notify: ["email"], decideIn }) } }),
      channels: [email(valid)],
    });
  expect(() => start(["inbox", "email"])).toThrow(
    'decideIn: "email" only notifies, so nobody can decide there; name it in notify instead',
  );
  expect(start(["inbox"]).functions.length).toBeGreaterThan(0);
});

describe("the options of e-mail", () => {
  it("are validated, and errors name the wrong field", () => {
    expect(problemOf({})).toBe("");
    expect(problemOf({ transport: "https://ada:s3cret@example.com" })).toMatch(
      /^transport: must be an SMTP URL/,
    );
    expect(problemOf({ transport: "ada:s3cret" })).toMatch(/^transport: must be an SMTP URL/);
    expect(problemOf({ transport: undefined })).toMatch(/^transport: must be a transporter/);
    expect(problemOf({ arguments: "no" })).toBe("arguments: must be true or false");
    expect(problemOf({ recipients: undefined })).toMatch(/^recipients: /);
    expect(problemOf({ recipients: { finance: "no address" } })).toBe(
      'recipients.finance: must be an e-mail address, such as "finance@example.com"',
    );
    expect(problemOf({ recipients: { finance: [] } })).toMatch(/^recipients\.finance: /);
    expect(() => email(undefined as never)).toThrow("email(): requires an object");
  });

  it.each([
    "approvals",
    "",
    undefined,
    "a@example.com, b@example.com",
    "A <a@example.com>, B <b@example.com>",
    "A\r\nBcc: eve@example.com <a@example.com>",
    "a@example.com\r\nBcc: eve@example.com",
    "A <a@example.com>\nx",
  ])("refuse the sender %j", (from) => {
    expect(problemOf({ from })).toMatch(/^from/);
  });
});

describe("the recipients of mails", () => {
  const recipientsOf = (recipients: EmailOptions["recipients"], target: string | null) =>
    email({ ...valid, recipients }).recipients(target, exampleCard());

  it("are those listed for the rule's target", async () => {
    const recipients = {
      default: "Desk@EXAMPLE.com",
      finance: ["ada@example.com", { address: "bo@example.com", name: "Bo\r\nX" }],
    };
    expect(await recipientsOf(recipients, null)).toEqual([
      { id: "Desk@example.com", label: "Desk@example.com" },
    ]);
    expect(await recipientsOf(recipients, "finance")).toEqual([
      { id: "ada@example.com", label: "ada@example.com" },
      { id: "bo@example.com", label: "Bo⏎X" },
    ]);
  });

  it("are an error for an unknown target", async () => {
    const recipients = { finance: "finance@example.com" };
    await expect(recipientsOf(recipients, "finanse")).rejects.toThrow(
      'recipients: has no entry "finanse"; did you mean "finance"?',
    );
    await expect(recipientsOf(recipients, null)).rejects.toThrow('recipients: has no entry "default"');
    await expect(recipientsOf(recipients, "constructor")).rejects.toThrow("has no entry");
  });

  it("can come from a function, which gets the target and the card", async () => {
    const directory: EmailOptions["recipients"] = async (target, { tenantId }) => [
      `${target}@${tenantId}.example`,
    ];
    expect(await recipientsOf(directory, "finance")).toEqual([
      { id: "finance@acme.example", label: "finance@acme.example" },
    ]);
    expect(await recipientsOf(() => [], "finance")).toEqual([]);
    await expect(recipientsOf(() => ["a@b, c@d"], null)).rejects.toThrow(
      "recipients().0: must be an e-mail address",
    );
    await expect(recipientsOf(() => "a@b" as never, null)).rejects.toThrow("recipients(): must be a list");
    await expect(recipientsOf(() => Promise.reject(new Error("down")), null)).rejects.toThrow("down");
  });

  it.each([
    "a b@example.com",
    "a@b@example.com",
    "<a@example.com>",
    "a@example.com\n",
    "a@exa\u202emple.com",
    "a@",
  ])("cannot have the invalid address %j", async (address) => {
    await expect(recipientsOf(() => [address], null)).rejects.toThrow("must be an e-mail address");
  });
});
