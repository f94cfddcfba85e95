import { expect, it } from "vitest";
import { threadRules } from "../../policy/rules/thread-rules.js";
import { namesOf, responseKey } from "./tool-calls.js";

it("a response keeps its key in every version, so that a run in progress finds its steps", () => {
  const given = [{ tools: "refund", verdict: "ask" }];
  const subject = {
    tenantId: "acme",
    threadId: "thr_1",
    requester: { id: "ada", roles: ["support"] },
    threadRules: threadRules(given),
    threadRulesGiven: given,
  };
  const none = { ...subject, threadRules: [], threadRulesGiven: [] };
  expect(responseKey({}, namesOf(none, "desk", "said"))).toBe("res_KN3EpMq3LJ5UBXiL8TQeoY.0");
  expect(responseKey({}, namesOf(subject, "desk", "said"))).toBe("res_eM_GyOSvACwPa1hNBfgD84.0");
});
