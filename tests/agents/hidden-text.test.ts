import { ask, definePolicy } from "countersign";
import { approvalsApi } from "countersign/hono";
import { afterEach, expect, it, vi } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness, principals } from "../support/harness.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

afterEach(() => vi.restoreAllMocks());

const card = "4111 1111 1111 1111";
const policy = definePolicy({
  tools: {
    email: ask({
      redact: ["to"],
      redactPatterns: ["card_number"],
      summary: "Tell {{to}}: {{text}}",
      decisions: ["approve", "edit", "deny", "respond"],
      editable: ["text"],
    }),
  },
});
const email = {
  toolCalls: [{ name: "email", input: { to: "ada-in-private", text: `Charged ${card}, ref canary-1` } }],
};
const countersign = { redactPatterns: ["canary-\\d+"] };

it("redacted text is hidden in view, summary, history and thread, but not from full view roles or tools", async () => {
  await using waiting = await openWaitingRefund({ policy, countersign, reply: inTurns(email) });
  const { harness, approval, threadId, runId } = waiting;
  const secrets = /4111|canary-\d|ada-in-private/;
  const input = { to: "[hidden]", text: "Charged [hidden], ref [hidden]" };
  expect(approval).toMatchObject({
    input,
    summary: "Tell [hidden]: “Charged [hidden], ref [hidden]”",
    redacted: ["to"],
    redactedPatterns: ["canary-\\d+", "card_number"],
    flags: [],
  });
  const [listed] = await harness.countersign.history.listPendingApprovals({ threadId });
  expect(listed?.toolInput).toEqual(input);

  const edit = (text: string) =>
    harness.call("finance", `/approvals/${approval.id}/decision`, {
      method: "POST",
      body: { type: "edit", digest: approval.digest, input: { ...input, text } },
    });
  expect(await edit("Charged [hidden]")).toMatchObject({
    status: 400,
    body: {
      code: "invalid_edit",
      errors: [
        { field: "input.text", message: expect.stringContaining("hidden text that cannot be changed") },
      ],
    },
  });
  const edited = await edit("We charged [hidden] ([hidden])\u202e");
  expect(edited).toMatchObject({
    status: 200,
    body: {
      editedInput: { to: "[hidden]", text: "We charged [hidden] ([hidden])\u202e" },
      flags: [{ path: "editedInput.text", kind: "direction", characters: ["U+202E"] }],
    },
  });
  expect(JSON.stringify(edited.body)).not.toMatch(secrets);
  await harness.ended(runId);
  expect(waiting.effects).toEqual([
    { tool: "email", input: { to: "ada-in-private", text: `We charged ${card} (canary-1)\u202e` } },
  ]);

  const thread = await harness.call("requester", `/threads/${threadId}`);
  expect(thread.status).toBe(200);
  expect(JSON.stringify(thread.body)).toContain('"toolCalls"');
  expect(JSON.stringify(thread.body)).not.toMatch(secrets);
  const everything = approvalsApi(harness.countersign, {
    authenticate: () => principals.finance ?? null,
    fullViewRoles: ["finance"],
  });
  expect(await (await everything.request(`/approvals/${approval.id}`)).json()).toMatchObject({
    input: { to: "ada-in-private", text: `Charged ${card}, ref canary-1` },
    redactedPatterns: [],
  });
  expect(await (await everything.request(`/threads/${threadId}`)).text()).toMatch(secrets);
});

it("a principal with a full view role may edit redacted text", async () => {
  await using waiting = await openWaitingRefund({ policy, reply: inTurns(email) });
  const { harness, approval } = waiting;
  const api = approvalsApi(harness.countersign, {
    authenticate: () => principals.finance ?? null,
    fullViewRoles: ["finance"],
  });
  const response = await api.request(`/approvals/${approval.id}/decision`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      type: "edit",
      digest: approval.digest,
      input: { to: "ada-in-private", text: "Charged nothing" },
    }),
  });
  expect(response.status).toBe(200);
  await harness.ended(waiting.runId);
  expect(waiting.effects).toMatchObject([{ input: { to: "ada-in-private", text: "Charged nothing" } }]);
});

it("createCountersign() refuses an invalid redact pattern", async () => {
  await expect(openWaitingRefund({ countersign: { redactPatterns: ["("] } })).rejects.toMatchObject({
    code: "invalid_option",
    message: expect.stringContaining("redactPatterns[0]"),
  });
});

it("events and console show no arguments, edits, responses or reasons, even when the database fails", async () => {
  const lines: string[] = [];
  for (const method of ["log", "info", "warn", "error", "debug"] as const) {
    vi.spyOn(console, method).mockImplementation((...words: unknown[]) => {
      lines.push(
        words
          .map((word) => (word instanceof Error ? `${word.stack} ${word.cause}` : JSON.stringify(word)))
          .join(" "),
      );
    });
  }
  await using database = await freshPostgres();
  const secret = (name: string) => `for-their-eyes ${name}`;
  const call = (name: string) => ({
    name: "email",
    input: { to: secret(name), text: secret(`${name}-text`) },
  });
  await using harness = await openHarness({
    database,
    policy: definePolicy({
      tools: { email: ask({ decisions: ["approve", "edit", "deny", "respond"], editable: ["text"] }) },
    }),
    tools: deskTools().tools,
    onEvent: (event) => {
      lines.push(JSON.stringify(event));
      return "deliver";
    },
    reply: inTurns({
      toolCalls: [
        ...["approved", "edited", "denied", "responded", "expired"].map(call),
        { name: "email", input: { to: secret("invalid"), text: { [secret("key")]: 1 } } },
        { name: "launch", input: { to: secret("unknown") } },
      ],
    }),
  });
  const { runId } = await harness.say("Go");
  const pending = await harness.pending(5);
  const decide = (name: string, body: object) => {
    const approval = pending.find(({ input }) => JSON.stringify(input).includes(secret(name)));
    return harness.call("finance", `/approvals/${approval?.id}/decision`, {
      method: "POST",
      body: { digest: approval?.digest, ...body },
    });
  };
  const denial = { type: "deny", reason: secret("reason") };
  // When a row violates a constraint, the error message of Postgres quotes the row.
  await database.postgres.unsafe(
    "alter table countersign.approvals add constraint broken check (decision_reason is null)",
  );
  const failed = await decide("denied", denial);
  expect(failed).toMatchObject({ status: 503, body: { code: "database_failed" } });
  expect(JSON.stringify(failed.body)).not.toContain("for-their-eyes");
  await database.postgres.unsafe("alter table countersign.approvals drop constraint broken");
  const answers = [
    await decide("denied", denial),
    await decide("edited", { type: "edit", input: { to: secret("edited"), text: secret("changed") } }),
    await decide("edited", { type: "edit", input: { to: secret("late"), text: secret("late") } }),
    await decide("responded", { type: "respond", response: { said: secret("response") } }),
    await decide("approved", { type: "approve" }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 409, 200, 200]);
  await harness.clock.advance("31m");
  await harness.ended(runId);
  expect(lines.some((line) => line.includes("countersign/approval.pending"))).toBe(true);
  expect(
    lines.filter((line) => line.includes("for-their-eyes") && !line.includes("harness/message")),
  ).toEqual([]);
});
