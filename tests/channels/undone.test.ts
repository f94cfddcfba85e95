import { expect, it } from "vitest";
import { bookingRule, openBookingDesk } from "../support/booking-desk.js";
import { freshPostgres } from "../support/databases.js";
import { eventually } from "../support/harness.js";
import { type RecordingOptions, recordingChannel } from "../support/recording-channel.js";

async function openWorld(database: Awaited<ReturnType<typeof freshPostgres>>, options: RecordingOptions) {
  const test = recordingChannel({ mode: "events", ...options });
  const rules = [
    { ...bookingRule, notify: ["test"] },
    { tools: "book.undo", verdict: "ask" },
  ];
  const desk = await openBookingDesk(database, { rules, countersign: { channels: [test.channel] } });
  return Object.assign(desk, { test });
}

it("a call that is undone is reported as such, with who did it and when", async () => {
  await using database = await freshPostgres();
  await using desk = await openWorld(database, {});
  const { call } = await desk.book("A-1");
  await desk.undo(call);
  const undone = await eventually(
    async () => desk.test.sent.find(({ event }) => event === "approval.undone"),
    "the undone call is reported",
  );
  const { undoId, undoneAt } = await desk.row(call.id);
  expect(undone.card).toMatchObject({
    ...{ approvalId: call.id, status: "executed", open: false },
    undo: { undoId, undoneAt, possible: false, until: null },
    outcome: { text: "Approved by finance. It ran. Undone by finance", at: undoneAt },
  });
  const others = desk.test.sent.filter(({ event }) => event !== "approval.undone");
  expect(others.every(({ card }) => card.approvalId === call.id)).toBe(true);
});

it("an undo has a card of its own, which says which call it undoes", async () => {
  await using database = await freshPostgres();
  const test = recordingChannel();
  const undoing = { tools: "book.undo", verdict: "ask", approvers: { roles: ["lead"] }, notify: ["test"] };
  await using desk = await openBookingDesk(database, {
    rules: [bookingRule, undoing],
    countersign: { channels: [test.channel] },
  });
  const { call } = await desk.book("A-1");
  const undo = await desk.undo(call);
  const card = await eventually(async () => [...test.shown.values()][0], "the undo's card");
  expect(card).toMatchObject({
    ...{ approvalId: undo.id, open: true, undo: null, whoDecides: "lead" },
    undoes: {
      approvalId: call.id,
      text: `Undoes the request ${call.id} (book). finance asked for it: “wrong order”`,
    },
  });
});
