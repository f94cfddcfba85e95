import {
  type Conversation,
  createTestHarness,
  prepareTestHarness,
  type TestHarnessOptions,
} from "@countersign/testing";
import { createTool } from "@inngest/agent-kit";
import { allow, ask, definePolicy } from "countersign";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";

const look = createTool({ name: "look", parameters: z.object({}), handler: () => "seen" });

const openDesk = (options: Partial<TestHarnessOptions> = {}) =>
  createTestHarness({
    policy: definePolicy({ tools: { look: allow(), refund: ask() } }),
    tools: [look, createTool({ name: "refund", parameters: z.object({}), handler: () => "done" })],
    reply: ({ messages }: Conversation) =>
      messages.at(-1)?.role === "user" ? { toolCalls: [{ name: "refund", input: {} }] } : { text: "Bye." },
    ...options,
  });

/** The message of the error with which a wait fails, and the milliseconds until then. */
async function failureOf(wait: Promise<unknown>) {
  const began = performance.now();
  const error = await wait.then(
    () => expect.unreachable("It should have failed"),
    (reason: Error) => reason,
  );
  return { message: error.message, ms: performance.now() - began };
}

describe("a wait that never succeeds", () => {
  beforeAll(prepareTestHarness);

  it("fails after 3 s by default, and its message lists the pending calls", async () => {
    await using desk = await openDesk();
    const turn = await desk.say("Refund my order");
    // This may take long on a busy machine.
    const [call] = await vi.waitFor(() => desk.pending(), 60_000);
    const { message, ms } = await failureOf(turn.pending(2));
    expect(message).toBe(
      `Timed out after 3 s (the option patience) waiting until at least 2 calls wait for a person in thread "${turn.threadId}": refund (${call.id}) is pending`,
    );
    expect(ms).toBeGreaterThan(2900);
  });

  it("names the refused decision when the run does not end", async () => {
    await using desk = await openDesk({ patience: "5s" });
    const turn = await desk.say("Refund my order");
    const [call] = await turn.pending();
    await desk.decide(call, { type: "edit", input: { amount: 50 } });
    expect((await failureOf(turn.ended())).message).toContain(
      `the run's status is Running; approver's decision "edit" on refund was refused: type: must be approve or deny for this call`,
    );
  });

  it("fails after the time in the option patience", async () => {
    await using desk = await openDesk({ patience: 50 });
    expect((await failureOf(desk.pending())).message).toBe(
      "Timed out after 0.05 s (the option patience) waiting until a call waits for a person: no call is waiting for approval",
    );
  });

  it("says why a call was refused before anybody could be asked", async () => {
    await using desk = await openDesk({
      patience: "1h",
      tools: [
        createTool({ name: "refund", parameters: z.object({ id: z.string() }), handler: () => "done" }),
      ],
      reply: ({ messages }) =>
        messages.at(-1)?.role === "user"
          ? { toolCalls: ["refund", "refnd"].map((name) => ({ name, input: { order: "A-1" } })) }
          : { text: "Bye." },
    });
    const turn = await desk.say("Refund my order");
    const { message } = await failureOf(turn.pending());
    expect(message).toMatch(
      /no call is waiting for approval; refund was refused: .*id: .*; refnd was refused: There is no tool named refnd/,
    );
  });

  it("fails without waiting when the run has completed", async () => {
    await using desk = await openDesk({ patience: "1h", reply: () => ({ text: "Nothing to do." }) });
    const turn = await desk.say("Refund my order");
    const { message } = await failureOf(turn.pending());
    expect(message).toContain("but the run's status is Completed");
  });

  it("fails with the run's error when the run has failed", async () => {
    await using desk = await openDesk({
      patience: "1h",
      reply: () => {
        throw new Error("no line for this");
      },
    });
    const turn = await desk.say("Refund my order");
    await expect(turn.ended()).rejects.toThrow("no line for this");
    await expect(turn.pending()).rejects.toThrow("the run's status is Failed");
  });
});

describe("a transcript", () => {
  it("is checked against both providers, whichever the model speaks", async () => {
    // Anthropic takes no dots in an id; OpenAI does.
    await using desk = await openDesk({
      patience: "60s",
      reply: ({ messages }) =>
        messages.at(-1)?.role === "user"
          ? { toolCalls: [{ id: "call.1", name: "look", input: {} }] }
          : { text: "Bye." },
    });
    const turn = await desk.say("Look");
    await turn.ended();
    const failure = await failureOf(desk.assertValidTranscripts());
    expect(failure.message).toMatch(/model request 2, anthropic: .*id/);
    expect(failure.message).toContain(`thread "${turn.threadId}", anthropic:`);
    expect(failure.message).not.toContain("openai");
  });
});

it("the kit refuses an unknown option and an unknown crash point, and suggests the right one", async () => {
  await expect(openDesk({ peopel: {} } as object)).rejects.toThrow(
    'peopel: is not an option of createTestHarness(); did you mean "people"?',
  );
  await using desk = await openDesk();
  expect(() => desk.crashAt("after-handlr" as never)).toThrow(
    'crashAt: there is no point "after-handlr"; did you mean "after-handler"?',
  );
});

it("a choice can give a grant, so that a later call like it runs without asking", async () => {
  await using desk = await openDesk({
    policy: definePolicy({ tools: { look: allow(), refund: ask({ grantable: ["thread"] }) } }),
  });
  const turn = await desk.say("Refund my order");
  const [call] = await turn.pending();
  const grant = { scope: "thread", arguments: "exact", expiresIn: "1 day" } as const;
  expect(await desk.decide(call, { type: "approve", grant })).toMatchObject({ ok: true });
  await turn.ended();
  const again = await turn.say("Once more");
  await again.ended();
  const messages = await again.messages();
  expect(
    messages.filter(({ role }) => role === "tool").map((message) => "content" in message && message.content),
  ).toEqual([{ data: "done" }, { data: "done" }]);
});
