import { expect, it } from "vitest";
import { toolAddition } from "./tool-addition.js";

const colour = toolAddition<string>(
  "test-colour",
  (tool) => String(Reflect.get(tool, "paint") ?? "") || undefined,
);

it("a form of a tool has what the tool has, and the other way round, also later", () => {
  const tool = {};
  const form = {};
  colour.share(form, tool);
  expect(colour.of(form)).toBeUndefined();
  colour.add(tool, "red");
  expect(colour.of(form)).toBe("red");
  colour.add(form, "blue");
  expect([colour.of(tool), colour.of(form), colour.of({ ...form })]).toEqual(["blue", "blue", "blue"]);
});

it("a form of a tool has what the tool has without an addition", () => {
  const form = {};
  colour.share(form, { paint: "green" });
  expect(colour.of(form)).toBe("green");
});
