import { expect, it } from "vitest";
import { countApprovals } from "./quorum.js";
import { mustLeaveToOthers } from "./who-decides.js";

const vote = (principalId: string, ...roles: string[]) => ({ principalId, roles, onBehalfOf: null });

it.each([
  ["ada", "Ada"],
  ["Zoë", "ZOË"],
  ["ｂｏ", "bo"],
])("the votes of %s and %s are those of one person", (one, other) => {
  expect(countApprovals({ quorum: 2, distinctRoles: false }, [], [vote(one), vote(other)])).toBe(1);
  const voters = [vote(one, "finance"), vote(other, "lead")];
  expect(countApprovals({ quorum: 2, distinctRoles: true }, ["finance", "lead"], voters)).toBe(1);
});

it("two people cover two roles", () => {
  const voters = [vote("ada", "finance"), vote("bo", "finance", "lead")];
  expect(countApprovals({ quorum: 2, distinctRoles: true }, ["finance", "lead"], voters)).toBe(2);
});

it("a requester may not approve as another spelling of the same id", () => {
  const call = { requesterId: "user", terms: { requesterMayNotApprove: true } };
  expect(mustLeaveToOthers(call, "User")).toBe(true);
  expect(mustLeaveToOthers(call, "user2")).toBe(false);
  expect(mustLeaveToOthers(call, null)).toBe(false);
});
