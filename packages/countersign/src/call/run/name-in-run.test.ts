import { expect, it } from "vitest";
import { nameInRun, nameOfCalls, namesInRun } from "./name-in-run.js";

const subject = { tenantId: "acme", threadId: "thr_1", requester: { id: "ada", roles: ["support"] } };
const nobody = { ...subject, requester: null };
const said = [
  { id: "call_1", name: "refund", input: { order: { id: "A-1", lines: [{ sku: "x", count: 2 }] } } },
];

it("calls keep their name in every version, so that a run in progress finds its steps", () => {
  expect(nameOfCalls({}, "agent", nobody, "desk", said)).toBe("res_ye__pjkRQUZCr_ljE4w1WN.0");
  expect(nameOfCalls({}, "agent", subject, "desk", said)).toBe("res_ioKcaXYXWTRof5GH3DT4IL.0");
});

it("a name does not depend on how objects were written, nor on what an engine cannot carry", () => {
  const written = {
    b: { y: 1, x: [{ d: 1, c: -0 }] },
    a: new Date(0),
    none: undefined,
    text: "cut\ud83d",
  };
  const carried = {
    a: "1970-01-01T00:00:00.000Z",
    b: { x: [{ c: 0, d: 1 }], y: 1 },
    text: "cut\ufffd",
  };
  expect(nameInRun({}, "gate", written)).toBe(nameInRun({}, "gate", carried));
  expect(nameInRun({}, "gate", [1, 2])).not.toBe(nameInRun({}, "gate", [2, 1]));
  expect(nameInRun({}, "gate", "1")).not.toBe(nameInRun({}, "gate", 1));
});

it("a name does not depend on the requester's roles, which may change while the run waits", () => {
  const promoted = { ...subject, requester: { id: "ada", roles: ["support", "lead"] } };
  const name = nameOfCalls({}, "gate", subject, "desk", said);
  expect(nameOfCalls({}, "gate", promoted, "desk", said)).toBe(name);
  expect(nameOfCalls({}, "gate", nobody, "desk", said)).not.toBe(name);
});

it("equal calls of one execution are counted, and each execution counts anew", () => {
  const [first, replay] = [{}, {}];
  const names = [nameInRun(first, "gate", said), nameInRun(first, "gate", said)];
  expect(names).toEqual([nameInRun(replay, "gate", said), nameInRun(replay, "gate", said)]);
  expect(new Set(names).size).toBe(2);
  expect(namesInRun(first)).toEqual(names);
});
