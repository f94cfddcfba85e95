import { expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { cardOutcome } from "./card-outcome.js";

it.each([
  [null, "Withdrawn by the program that requested it"],
  ["run_1", "Withdrawn: the run was cancelled"],
])("a withdrawn call says who withdrew it (run %j)", (runId, text) => {
  const approval = someApproval({ status: "withdrawn", withdrawalCause: "run_cancelled", runId });
  expect(cardOutcome(approval, (id) => id)?.text).toBe(text);
});
