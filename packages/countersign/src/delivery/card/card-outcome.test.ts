import { expect, it } from "vitest";
import type { Approval } from "../../approval/approval.js";
import { cardOutcome } from "./card-outcome.js";

const withdrawn = { decision: null, votes: [], status: "withdrawn", withdrawalCause: "run_cancelled" };

it.each([
  [null, "Withdrawn by the program that requested it"],
  ["run_1", "Withdrawn: the run was cancelled"],
])("a withdrawn call says who withdrew it (run %j)", (runId, text) => {
  const approval = { ...withdrawn, runId, createdAt: new Date(0) } as unknown as Approval;
  expect(cardOutcome(approval, (id) => id)?.text).toBe(text);
});
