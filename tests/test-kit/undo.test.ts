import { createTestHarness } from "@countersign/testing";
import { createTool } from "@inngest/agent-kit";
import { ask, definePolicy, notify, withUndo } from "countersign";
import { expect, it } from "vitest";
import { z } from "zod";

/** A desk that books at once; ada may cancel within ten minutes, and a valuable booking only with ben. */
async function openDesk(input: { value: number }) {
  const cancelled: unknown[] = [];
  const book = withUndo(
    createTool({
      name: "book",
      parameters: z.object({ value: z.number() }),
      handler: () => ({ number: "B-1" }),
    }),
    (_input, booking) => {
      cancelled.push(booking.number);
    },
  );
  const desk = await createTestHarness({
    patience: "60s",
    policy: definePolicy({
      tools: {
        book: notify({ reversible: "10m" }),
        "book.undo": ({ input }) =>
          ask({ approvers: { roles: [Number(input.value) > 100 ? "lead" : "logistics"] } }),
      },
    }),
    people: { ada: { id: "ada", roles: ["logistics"] }, ben: { id: "ben", roles: ["lead"] } },
    tools: [book],
    countersign: { undoable: [book] },
    reply: ({ messages }) =>
      messages.at(-1)?.role === "user" ? { toolCalls: [{ name: "book", input }] } : { text: "Booked." },
  });
  const turn = await desk.say("Book a carrier");
  await turn.ended();
  const { approvalId } = (await desk.audit()).find(({ type }) => type === "approval.executed") ?? {};
  return Object.assign(desk, { cancelled, call: await desk.approval(approvalId ?? "none") });
}

it("the test kit undoes a call, and refuses to when its time is over", async () => {
  await using desk = await openDesk({ value: 50 });
  const undo = await desk.undo(desk.call, { by: "ada", reason: "Wrong day" });
  expect(undo).toMatchObject({ ok: true, approval: { toolName: "book.undo", status: "executed" } });
  expect(desk.cancelled).toEqual(["B-1"]);
  expect(await desk.undo(desk.call, { by: "ada" })).toMatchObject({ ok: false, code: "not_undoable" });

  await using later = await openDesk({ value: 50 });
  await later.advance("11m");
  expect(await later.undo(later.call, { by: "ada" })).toMatchObject({
    ok: false,
    code: "not_undoable",
    message: expect.stringContaining("The time to undo this call is over"),
  });
});

it("the test kit returns an undo that waits for people, and reads it once it is over", async () => {
  await using desk = await openDesk({ value: 500 });
  const undo = await desk.undo(desk.call, { by: "ada" });
  if (!undo.ok) throw new Error(undo.message);
  expect(undo.approval.status).toBe("pending");
  await desk.decide(undo.approval, { by: "ben", type: "approve" });
  expect(await desk.over(undo.approval)).toMatchObject({ status: "executed" });
  expect(await desk.approval(desk.call)).toMatchObject({ undoneAt: expect.any(Date) });
});
