import { expect, it } from "vitest";
import { answerGiven } from "./answer-given.js";

const question = { toolName: "request_human_input", verdict: "manual", mcpServer: null } as const;
const form = {
  type: "object",
  properties: {
    speed: { type: "string", title: "Speed", enum: ["n", "x"], enumNames: ["Normal", "Express"] },
    gift: { type: "boolean" },
  },
};

it("answerGiven labels the parts of an answer as the form does, in its order", () => {
  const response = { action: "accept", content: { gift: true, speed: "x" } };
  expect(answerGiven({ ...question, input: { message: "How?", form }, response })).toMatchObject([
    { name: "speed", label: "Speed", value: "Express" },
    { name: "gift", label: "gift", value: true },
  ]);
});

it.each([
  [{ message: "Which?", choices: ["a", "b"] }, { action: "accept", content: { choice: "b" } }, "b"],
  [{ message: "Why?" }, { action: "accept", content: { answer: "It is late" } }, "It is late"],
  [{ message: "Why?" }, { action: "decline" }, "Declined to answer"],
  [{ message: "Pay there", url: "https://pay.example" }, { action: "accept" }, "Confirmed"],
])("answerGiven labels a single part “Answer”: %j, %j", (input, response, value) => {
  expect(answerGiven({ ...question, input, response })).toMatchObject([{ label: "Answer", value }]);
});

it("answerGiven returns undefined for an answer of another shape and for a tool's result", () => {
  expect(answerGiven({ ...question, input: { message: "Why?" }, response: "because" })).toBeUndefined();
  const tool = { ...question, toolName: "count_stock", input: {}, response: { action: "accept" } };
  expect(answerGiven(tool)).toBeUndefined();
});
