import { describe, expect, it } from "vitest";
import { type ApprovalBasis, type ApprovingTerms, type Person, satisfies } from "./approval-basis.js";

const minute = 60_000;
const call = { requesterId: "eve", proposedAt: 5 * minute };
const none = { roles: [], ids: [] };
const finance = { roles: ["finance"], ids: [] };
const both = { roles: ["finance", "lead"], ids: [] };
const terms: ApprovingTerms = {
  approvers: finance,
  quorum: 1,
  distinctRoles: false,
  requesterMayNotApprove: false,
  delegable: false,
  escalation: [],
  grantable: [],
};

const fay: Person = { id: "fay", roles: ["finance"] };
const fred: Person = { id: "fred", roles: ["finance"] };
const lee: Person = { id: "lee", roles: ["lead"] };
const eve: Person = { id: "eve", roles: ["finance"] };

const people = (...approvers: Person[]): ApprovalBasis => ({
  by: "people",
  approvers: approvers.map((person) => ({ ...person, onBehalfOf: null, at: 15 * minute })),
});
const leeFor = (onBehalfOf: Person): ApprovalBasis => ({
  by: "people",
  approvers: [{ ...lee, onBehalfOf, at: 15 * minute }],
});

describe("an approval by people", () => {
  it.each<[string, ApprovalBasis, Partial<ApprovingTerms>, boolean]>([
    ["a named role", people(fay), {}, true],
    ["another role", people(fay), { approvers: { roles: ["lead"], ids: [] } }, false],
    ["a person by id", people(fay), { approvers: { roles: [], ids: ["fay"] } }, true],
    ["only another person", people(fay), { approvers: { roles: [], ids: ["boss"] } }, false],
    ["nobody in particular", people(lee), { approvers: none }, true],
    ["one more role", people(fay), { approvers: both }, true],
    ["two approvals and one was given", people(fay), { approvers: both, quorum: 2 }, false],
    ["one of two approvers", people(fay, lee), {}, true],
    ["two approvals, one of them by another role", people(fay, lee), { quorum: 2 }, false],
    ["three approvals and two were given", people(fay, lee), { approvers: both, quorum: 3 }, false],
    ["two roles", people(fay, lee), { approvers: both, quorum: 2, distinctRoles: true }, true],
    [
      "two roles and both have one",
      people(fay, fred),
      { approvers: both, quorum: 2, distinctRoles: true },
      false,
    ],
    ["no requester", people(eve), { requesterMayNotApprove: true }, false],
    ["the requester too", people(eve), {}, true],
    ["one besides the requester", people(eve, fay), { requesterMayNotApprove: true }, true],
    ["two besides the requester", people(eve, fay), { requesterMayNotApprove: true, quorum: 2 }, false],
  ])("satisfies terms that require %s: %#", (_what, basis, now, isSatisfied) => {
    expect(satisfies({ ...terms, ...now }, basis, call)).toBe(isSatisfied);
  });
});

describe("an approval by a delegate", () => {
  it.each<[string, Person, Partial<ApprovingTerms>, boolean]>([
    ["permit delegation", fay, { delegable: true }, true],
    ["forbid delegation", fay, {}, false],
    ["name the delegate and forbid delegation", fay, { approvers: both }, false],
    ["name others", fay, { approvers: { roles: ["boss"], ids: [] }, delegable: true }, false],
    ["forbid the requester who delegated", eve, { delegable: true, requesterMayNotApprove: true }, false],
  ])("is measured against terms that %s", (_what, of, now, isSatisfied) => {
    expect(satisfies({ ...terms, ...now }, leeFor(of), call)).toBe(isSatisfied);
  });

  it("does not count if the delegate is the requester who must leave it to others", () => {
    const byRequester = { ...call, requesterId: "lee" };
    const now = { ...terms, delegable: true, requesterMayNotApprove: true };
    expect(satisfies(now, leeFor(fay), byRequester)).toBe(false);
  });
});

it.each([
  ["counts from its time on", 10, true],
  ["does not count earlier", 11, false],
])("an escalation to further approvers %s", (_what, after, isSatisfied) => {
  const escalation = [{ afterMs: after * minute, escalateTo: ["lead"] }];
  expect(satisfies({ ...terms, escalation }, people(lee), call)).toBe(isSatisfied);
});

describe("an approval by a grant", () => {
  const grant = (rerun = false): ApprovalBasis => ({
    by: "grant",
    scope: "team",
    rerun,
    condition: null,
    grantor: fay,
  });
  it.each<[string, ApprovalBasis, Partial<ApprovingTerms>, boolean]>([
    ["permit its scope", grant(), { grantable: ["team"] }, true],
    ["permit another scope", grant(), { grantable: ["thread"] }, false],
    ["permit none, for a call that was interrupted", grant(true), {}, true],
    ["ask for two approvals", grant(), { grantable: ["team"], quorum: 2 }, false],
    ["name others", grant(), { grantable: ["team"], approvers: { roles: ["lead"], ids: [] } }, false],
  ])("is measured against terms that %s", (_what, basis, now, isSatisfied) => {
    expect(satisfies({ ...terms, ...now }, basis, call)).toBe(isSatisfied);
  });
});
