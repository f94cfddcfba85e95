import { expect, it } from "vitest";
import { Journal } from "../journal.js";
import type { Move } from "../scenario/plan.js";
import { judgeWaits } from "./waits.js";

/** A journal of decisions whose messages were held until second 10, each answered at the given second. */
function heldUntilSecond10(answeredAt: readonly number[], holdMs = 0): Journal {
  const journal = new Journal();
  for (const [index, second] of answeredAt.entries()) {
    const approvalId = String(index);
    const move: Move = { who: "ben", place: "inbox", type: "approve", afterMs: 0, holdMs, takesBack: false };
    journal.held.push({ approvalId, to: 10_000 });
    journal.sent.push({
      ...{ approvalId, move, place: "inbox", at: 1000 },
      ...{ answeredAt: second * 1000, status: 200, code: undefined, takenBack: false },
    });
  }
  return journal;
}

it("judgeWaits() reports decisions that are answered only after their channels", () => {
  const journal = heldUntilSecond10([11, 12, 11, 13, 11]);
  judgeWaits(journal);
  expect(journal.violations).toMatchObject([{ name: "waited-for-a-channel", invariant: "I16" }]);
});

it("judgeWaits() reports nothing if one of the decisions was answered while its channel was held", () => {
  const journal = heldUntilSecond10([11, 19, 19, 9, 19]);
  judgeWaits(journal);
  expect(journal.violations).toEqual([]);
});

it("judgeWaits() reports nothing for fewer than five decisions", () => {
  const journal = heldUntilSecond10([11, 11, 11, 11]);
  judgeWaits(journal);
  expect(journal.violations).toEqual([]);
});

it("judgeWaits() takes no held decision for one that was answered before its channel", () => {
  const journal = heldUntilSecond10([9, 9, 9, 9, 9], 4000);
  for (const sent of heldUntilSecond10([11, 12, 11, 13, 11]).sent)
    journal.sent.push({ ...sent, approvalId: `x${sent.approvalId}` });
  for (const { approvalId } of [...journal.held])
    journal.held.push({ approvalId: `x${approvalId}`, to: 10_000 });
  judgeWaits(journal);
  expect(journal.violations).toMatchObject([{ name: "waited-for-a-channel" }]);
});
