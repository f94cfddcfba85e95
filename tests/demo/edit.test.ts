import { expect, it } from "vitest";
import { openDemo } from "../support/demo/demo-in-process.js";

it("a refund of 80 that a person edits to 50 is paid as 50", async () => {
  await using demo = await openDemo({});
  const threadId = await demo.say("Please refund order A-1005");
  const refund = await demo.waiting(threadId);
  expect(refund).toMatchObject({
    input: { orderId: "A-1005", amount: 80 },
    summary: "Refund 80 EUR for order A-1005",
    editable: ["amount"],
  });
  const input = { orderId: "A-1005", customerId: "C-3", amount: 50 };
  const edited = await demo.decide("finance", refund, { type: "edit", input });
  expect(edited).toMatchObject({ status: 200, body: { status: "approved", editedInput: input } });

  expect(await demo.lastWords(threadId)).toBe(
    "Order A-1005 is refunded: 50.00 EUR. A person approved this call with changed arguments: amount from 80 to 50.",
  );
  expect(await demo.effects()).toMatchObject([{ toolName: "issue_refund", input, approvalId: refund.id }]);
  expect(demo.lastModelRequest()).toContain("amount from 80 to 50");
  expect(demo.model.requests.map(({ error, status }) => error ?? status)).toEqual([200, 200, 200]);

  const entry = (await demo.audit(refund.id)).find(({ type }) => type === "approval.edited");
  expect(entry).toMatchObject({
    actorId: "finance",
    data: { digest: refund.digest, editedDigest: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
  expect(entry?.data).not.toMatchObject({ editedDigest: refund.digest });
});
