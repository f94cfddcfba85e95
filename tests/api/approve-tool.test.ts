import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiWorldOptions, openApiWorld } from "../support/api-world.js";
import { freshPostgres } from "../support/databases.js";
import { proposeCall } from "../support/proposals.js";

let database: Awaited<ReturnType<typeof freshPostgres>>;
beforeAll(async () => {
  database = await freshPostgres(8);
});
afterAll(() => database[Symbol.asyncDispose]());

/** What `@inngest/use-agent` sends for a call of the thread. */
async function send(options: ApiWorldOptions, body: Record<string, unknown>) {
  const { store, request } = await openApiWorld({ database, ...options });
  const threadId = `thread-${crypto.randomUUID()}`;
  const [call] = await proposeCall(store, { threadId });
  if (!call) throw new Error("unreachable");
  const answer = await request("finance", "/approve-tool", {
    method: "POST",
    body: JSON.stringify({ threadId, toolCallId: call.toolCallId, ...body }),
  });
  const { status } = (await store.getApproval("acme", call.id)) ?? {};
  return { answer: await answer.json(), status };
}

describe("a decision by tool call id", () => {
  it.each(["approve", "deny"])(
    "is refused without a digest by default, and the answer names the option: %s",
    async (action) => {
      for (const options of [{}, { approveWithoutDigest: false }]) {
        const { answer, status } = await send(options, { action });
        expect(answer).toMatchObject({
          status: 400,
          code: "digest_required",
          detail: expect.stringMatching(/POST \/approvals\/\{id\}\/decision.*approveWithoutDigest/),
          errors: [{ field: "digest" }],
        });
        expect(status).toBe("pending");
      }
    },
  );

  it.each([
    ["approve", "approved"],
    ["deny", "denied"],
  ])("is accepted without a digest if the host allows it: %s", async (action, then) => {
    const { answer, status } = await send({ approveWithoutDigest: true }, { action, reason: "As asked" });
    expect([answer.status, status]).toEqual([then, then]);
  });

  it("must still match a digest that is sent", async () => {
    const body = { action: "approve", digest: "0".repeat(64) };
    const { answer, status } = await send({ approveWithoutDigest: true }, body);
    expect(answer).toMatchObject({ status: 409, code: "digest_mismatch" });
    expect(status).toBe("pending");
  });
});
