import { AgentResult, type Message, type ToolMessage } from "@inngest/agent-kit";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Refusal } from "../../approval/refusal-text.js";
import { refusalContent, restoreAnswered, withholdAnswered } from "./transcript.js";

const refusal: Refusal = { code: "denied_by_person", approvalId: "apr_1", message: "No" };

const response = fc
  .array(fc.oneof(fc.constant("text" as const), fc.array(fc.boolean(), { minLength: 1, maxLength: 4 })), {
    maxLength: 5,
  })
  .map((parts) => {
    const refused = new Map<ToolMessage, unknown>();
    let count = 0;
    const output = parts.map((part): Message => {
      if (part === "text") return { type: "text", role: "assistant", content: "words" };
      const tools = part.map((refuse): ToolMessage => {
        const tool: ToolMessage = { type: "tool", id: `call_${count++}`, name: "t", input: {} };
        if (refuse) refused.set(tool, refusalContent(refusal));
        return tool;
      });
      return { type: "tool_call", role: "assistant", stop_reason: "tool", tools };
    });
    return { output, refused };
  });

const callsOf = (output: readonly Message[]) =>
  output.flatMap((message) => (message.type === "tool_call" ? message.tools : []));

it("every call has exactly one result, in order, whichever calls were refused", () => {
  fc.assert(
    fc.property(response, ({ output, refused }) => {
      const before = structuredClone(output);
      const result = new AgentResult("support", withholdAnswered(output, refused), [], new Date(0));
      const toRun = callsOf(result.output);
      expect(toRun.some((tool) => refused.has(tool))).toBe(false);
      // AgentKit runs the calls that are left.
      result.toolCalls = toRun.map((tool) => ({
        type: "tool_result",
        role: "tool_result",
        tool: { ...tool },
        content: { data: "ran" },
        stop_reason: "tool",
      }));
      restoreAnswered(result, { output, answers: refused, notes: new Map() });
      expect(result.output).toEqual(before);
      expect(result.toolCalls.map(({ tool }) => tool.id)).toEqual(callsOf(before).map(({ id }) => id));
      for (const { tool, content } of result.toolCalls) {
        const wasRefused = [...refused.keys()].some(({ id }) => id === tool.id);
        expect(content).toEqual(wasRefused ? { error: { name: "CallNotRun", ...refusal } } : { data: "ran" });
      }
    }),
  );
});

it("a message that a user's hook adds to the response is kept", () => {
  const call: ToolMessage = { type: "tool", id: "call_0", name: "t", input: {} };
  const output: Message[] = [{ type: "tool_call", role: "assistant", stop_reason: "tool", tools: [call] }];
  const refused = new Map([[call, refusalContent(refusal)]]);
  const result = new AgentResult("support", withholdAnswered(output, refused), [], new Date(0));
  const note: Message = { type: "text", role: "assistant", content: "noted by a hook" };
  result.output.push(note);
  restoreAnswered(result, { output, answers: refused, notes: new Map() });
  expect(result.output).toEqual([...output, note]);
});
