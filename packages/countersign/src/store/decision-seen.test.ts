import { describe, expect, it } from "vitest";
import { engagedStop } from "../testing/engaged-stop.js";
import { someApproval } from "../testing/some-approval.js";
import { jsonRow, readAt, readPlus, someGrant, trailEntry } from "../testing/some-call-seen.js";
import { someDecisionSeen, someVote } from "../testing/some-decision-seen.js";
import { someRequestJson } from "../testing/some-request-seen.js";
import { decisionReading, shownCall } from "./decision-seen.js";

const { parse } = decisionReading("apr_2", { countsGrants: false });
const person = { approvalId: "apr_2", tenantId: "acme", principalId: "eve", until: readPlus(1) };
const viewer = { ...person, displayName: "Eve" };
const nothing = { votes: null, viewers: null, snoozes: null, stops: null, grants: null, liveGrants: null };
const trail = [trailEntry("approval.announced")];
const request = someRequestJson([{}, { trail }]);

describe("what a decision is judged by", () => {
  it.each([
    [true, "granting"],
    [false, "decision"],
  ])("is read by the call's id; with the number of grants: %s", (countsGrants, kind) => {
    expect(decisionReading("apr_2", { countsGrants })).toMatchObject({ kind, id: "apr_2" });
  });

  it.each<[string, object | null]>([
    ["there is no request", null],
    ["its request does not have it", { ...nothing, request: someRequestJson([{}]) }],
  ])("is nothing if %s", (_, json) => {
    expect(parse(json)).toBeUndefined();
  });

  it("is read from the database's JSON, about the call among those of its request", () => {
    const all = {
      ...{ request, votes: [jsonRow(someVote("ada"))], stops: [jsonRow(engagedStop)] },
      ...{ viewers: [jsonRow(viewer)], snoozes: [jsonRow(person)], grants: [jsonRow(someGrant())] },
    };
    const { request: draft, call, ...seen } = parse({ ...all, liveGrants: 7 }) ?? {};
    expect([draft?.now, call?.version, call]).toEqual([readAt, "702", draft?.calls[1]]);
    expect(call?.trail).toEqual(trail);
    expect(seen).toStrictEqual({
      ...{ votes: [someVote("ada")], stops: [engagedStop], grants: [someGrant()], liveGrants: 7 },
      viewers: [{ principalId: "eve", displayName: "Eve", until: readPlus(1) }],
      snoozes: [{ principalId: "eve", until: readPlus(1) }],
    });
    expect(parse({ ...nothing, request })).toMatchObject({
      ...{ votes: [], viewers: [], snoozes: [], stops: [], grants: [] },
      liveGrants: undefined,
    });
  });
});

describe("a call as people see it", () => {
  const [viewers, snoozes] = [[viewer], [person]];

  it("has who looks at it and has put it aside, as long as it is pending", () => {
    expect(shownCall(someDecisionSeen({ viewers, snoozes }))).toMatchObject({
      ...{ viewers: [{ principalId: "eve" }], snoozes: [{ principalId: "eve" }] },
    });
    const approval = someApproval({ status: "approved" });
    expect(shownCall(someDecisionSeen({ approval, viewers, snoozes }))).toEqual(approval);
  });

  it("has what was changed so far, and the votes that then count", () => {
    const seen = someDecisionSeen({ votes: [someVote("ada")] });
    seen.call.change({ status: "denied" });
    expect(shownCall(seen)).toMatchObject({ status: "denied", votes: [{ principalId: "ada" }] });
    expect(shownCall(seen, []).votes).toEqual([]);
  });
});
