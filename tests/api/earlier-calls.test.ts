import type { Principal } from "countersign";
import { expect, it } from "vitest";
import { openApiWorld } from "../support/api-world.js";
import { proposeCall } from "../support/proposals.js";

const day = 24 * 60 * 60 * 1000;
const input = { id: "A-1", amount: 80 };
const lead: Principal = { id: "lead", tenantId: "acme", roles: ["lead"] };

type Options = NonNullable<Parameters<typeof proposeCall>[1]>;

/** An API with calls that have run, and what it says about the same calls before one. */
async function openWorld(offset: { ms: number } = { ms: 0 }) {
  const world = await openApiWorld({
    ...{ auditRoles: ["auditor"], fullViewRoles: ["auditor"], clockOffset: () => offset.ms },
  });
  const { store } = world;
  const propose = async (options: Options) => {
    const [call] = await proposeCall(store, { input, threadId: null, runId: null, ...options });
    if (!call) throw new Error("unreachable");
    return call;
  };
  return {
    store,
    propose,
    /** A call that somebody has approved and that has run. */
    async ran(options: Options = {}, edited?: object) {
      const call = await propose(options);
      const json = JSON.stringify(edited);
      await store.decide({
        ...{ approvalId: call.id, principal: lead, digest: call.digest, reason: null },
        ...(edited ? { type: "edit", edited: { inputJson: json, digest: "e" } } : { type: "approve" }),
      });
      await store.claim(call.id, "once", () => undefined);
      await store.finish(call.id, { status: "executed", outcomeJson: "{}" });
      return call.id;
    },
    async earlierFor(reader: string, { id }: { id: string }) {
      const response = await world.request(reader, `/approvals/${id}`);
      const { earlier } = (await response.json()) as { earlier: { approvalId: string } | null };
      return earlier;
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

it("the earlier call is found in other conversations, whatever its policy and its tool's version, with who approved it", async () => {
  await using world = await openWorld();
  const before = await world.ran({ threadId: "another", toolVersion: "0", input: { amount: 80, id: "A-1" } });
  expect(await world.earlierFor("finance", await world.propose({}))).toEqual({
    ...{ approvalId: before, status: "executed", finishedAt: expect.any(String), decidedBy: "lead" },
  });
  expect(await world.earlierFor("finance", await world.propose({ input: { id: "A-2" } }))).toBeNull();
  expect(await world.earlierFor("finance", await world.propose({ toolName: "email" }))).toBeNull();
});

it("the earlier call is one that the reader may see, unless they read the audit log", async () => {
  await using world = await openWorld();
  const seen = await world.ran();
  const secret = await world.ran({ approvers: { roles: ["lead"], ids: [] }, requesterId: "lead" });
  const call = await world.propose({});
  expect((await world.earlierFor("finance", call))?.approvalId).toBe(seen);
  for (const reader of ["lead", "auditor"])
    expect((await world.earlierFor(reader, call))?.approvalId).toBe(secret);
});

it("the earlier call of another conversation confirms no guess of a value that is hidden in it", async () => {
  await using world = await openWorld();
  const hidden = { terms: { redact: ["id"] } };
  const before = await world.ran({ ...hidden, threadId: "one" });
  const guessed = await world.propose({ threadId: "two" });
  expect(await world.earlierFor("finance", guessed)).toBeNull();
  expect((await world.earlierFor("auditor", guessed))?.approvalId).toBe(before);
  // Whoever has the conversation has seen both.
  expect((await world.earlierFor("finance", await world.propose({ threadId: "one" })))?.approvalId).toBe(
    before,
  );
});

it("the earlier call is compared by its edited arguments", async () => {
  await using world = await openWorld();
  const editing = {
    terms: { decisions: ["approve", "edit", "deny"], editable: ["amount"] },
  } satisfies Options;
  const before = await world.ran(editing, { id: "A-1", amount: 20 });
  expect(await world.earlierFor("finance", await world.propose({}))).toBeNull();
  const same = await world.propose({ input: { id: "A-1", amount: 20 } });
  expect((await world.earlierFor("finance", same))?.approvalId).toBe(before);
});

it("the earlier call is at most 30 days old, and a question's is of its conversation", async () => {
  const offset = { ms: 0 };
  await using world = await openWorld(offset);
  const question = { toolName: "request_human_input", input: { message: "Which one?" } };
  const before = await world.ran();
  const asked = await world.ran({ ...question, threadId: "one" });
  offset.ms = 29 * day;
  const call = await world.propose({});
  expect((await world.earlierFor("finance", call))?.approvalId).toBe(before);
  const again = await world.propose({ ...question, threadId: "one" });
  expect((await world.earlierFor("finance", again))?.approvalId).toBe(asked);
  expect(await world.earlierFor("finance", await world.propose({ ...question, threadId: "two" }))).toBeNull();
  offset.ms = 31 * day;
  expect(await world.earlierFor("finance", await world.propose({}))).toBeNull();
});
