import type { Policy } from "@countersign/policy/internal/policy/policy";
import type { PolicyCall } from "@countersign/policy/internal/policy/policy-call";
import { expect, it } from "vitest";
import type { Judged } from "../../gate/gate.js";
import { judge } from "./judge.js";

const text = 'calls("refund", "1h")';
/** Denies a call if there were two before. */
const policy = {
  countsFor: () => [{ text }],
  evaluate: ({ counted }: PolicyCall) => ({ kind: Number(counted?.[text]) > 1 ? "deny" : "ask" }),
} as unknown as Policy;
const call = { toolName: "refund", input: {}, principal: null, thread: null };
const meaning = ({ kind }: { kind: string }): Judged => ({
  kind: "refused",
  refusal: { code: "denied_by_policy", approvalId: null, message: kind },
});

it("counts for a call that is judged for the first time", () => {
  expect(judge(policy, call, meaning)).toMatchObject({ kind: "counting", counts: [{ text }] });
});

it("judges a call that an earlier attempt wrote by what that attempt counted, and counts nothing anew", () => {
  const judgedAgain = (total: number) =>
    judge(policy, call, meaning, { terms: { counts: [{ text, total }] } as never });
  expect(judgedAgain(1)).toMatchObject({ kind: "refused", refusal: { message: "ask" } });
  expect(judgedAgain(2)).toMatchObject({ kind: "refused", refusal: { message: "deny" } });
});
