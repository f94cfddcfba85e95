import { expect, it } from "vitest";
import { openState, type StateOwner, sealState } from "./request-state.js";

const owner: StateOwner = {
  tenantId: "acme",
  runId: "run-1",
  server: "trips",
  tool: "book",
  argumentsJson: '{"trip":"Oslo","seats":2}',
  questions: [{ approvalId: "apr_1", inputJson: '{"message":"Which seat?","server":"trips"}' }],
};

it("a sealed state opens unchanged, and its seal does not contain it", () => {
  for (const state of ["", "plain state", "\u{1F6EB} \u0000 \ud800", "x".repeat(100_000)]) {
    const seal = sealState("secret", owner, state);
    expect(openState("secret", owner, seal)).toBe(state);
    expect(state === "" || !Buffer.from(seal, "base64url").toString("latin1").includes(state)).toBe(true);
  }
});

it("a seal opens whatever the order of the fields in its questions", () => {
  const seal = sealState("secret", owner, "state");
  const reordered = { approvalId: "apr_1", inputJson: '{"server":"trips","message":"Which seat?"}' };
  expect(openState("secret", { ...owner, questions: [reordered] }, seal)).toBe("state");
});

it.each<[string, Partial<StateOwner>]>([
  ["another tenant", { tenantId: "other" }],
  ["another run", { runId: "run-2" }],
  ["another server", { server: "trains" }],
  ["another tool", { tool: "cancel" }],
  ["other arguments", { argumentsJson: '{"trip":"Rome","seats":2}' }],
  [
    "another approval",
    { questions: [{ approvalId: "apr_2", inputJson: '{"message":"Which seat?","server":"trips"}' }] },
  ],
  [
    "another question",
    { questions: [{ approvalId: "apr_1", inputJson: '{"message":"Pay?","server":"trips"}' }] },
  ],
  ["no question", { questions: [] }],
])("a seal does not open for %s", (_of, change) => {
  const seal = sealState("secret", owner, "state");
  expect(openState("secret", { ...owner, ...change }, seal)).toBeUndefined();
});

it("a forged seal does not open", () => {
  const seal = Buffer.from(sealState("secret", owner, "state"), "base64url");
  expect(openState("other secret", owner, seal.toString("base64url"))).toBeUndefined();
  for (const at of [0, 15, seal.length - 1]) {
    const forged = Buffer.from(seal);
    forged[at] = (forged[at] ?? 0) ^ 1;
    expect(openState("secret", owner, forged.toString("base64url"))).toBeUndefined();
  }
  for (const text of ["", "c3RhdGU", "state"]) expect(openState("secret", owner, text)).toBeUndefined();
});
