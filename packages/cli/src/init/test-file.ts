import { importPath, nodeTypes } from "./code.js";
import { isAsked, sampleTool } from "./policy-file.js";
import type { Project } from "./project.js";

/** A test of a call that waits for a person; `undefined` if no known tool does. */
export function testFile(project: Project): string | undefined {
  const { vitest, tools, files, desk: isDesk } = project;
  const tool = isDesk ? sampleTool : tools.find(isAsked);
  if (!tool) return undefined;
  const event = isDesk ? "desk/message" : "policy/message";
  const parts = isDesk ? partsOfDesk(project) : partsOfPolicy(tool);
  const imports = [
    'import { openPolicy } from "@countersign/policy/files";',
    'import { createTestHarness } from "@countersign/testing";',
    ...parts.imports,
    ...(vitest
      ? ['import { expect, it } from "vitest";']
      : ['import assert from "node:assert/strict";', 'import { it } from "node:test";']),
    ...(isDesk ? [`import { createDesk } from "${importPath(project, files.test, files.desk)}";`] : []),
  ];
  return `${nodeTypes(project)}${imports.join("\n")}

${parts.setUp}it("${tool} waits for a person, and runs once it is approved", async () => {
  const harness = await createTestHarness({
    policy: openPolicy({ defaults: "policy.yaml" }),
    functions: ({ inngest, countersign }) => [${parts.created}],
    reply: ${parts.reply},
  });
  try {
    const run = await harness.send({ name: "${event}", data: { text: "Refund 80 EUR for A-1001" } });
    const [call] = await run.pending();
    await harness.decide(call, { type: "approve" });
    await run.ended();
    const { status } = await harness.approval(call);
    ${vitest ? 'expect(status).toBe("executed");' : 'assert.equal(status, "executed");'}
  } finally {
    await harness[Symbol.asyncDispose]();
  }
}${vitest ? ", 60_000" : ""});
`;
}

interface Parts {
  imports: string[];
  setUp: string;
  /** Creates the function under test. */
  created: string;
  reply: string;
}

const unused = '() => ({ text: "" })';
const input = '{ orderId: "A-1001", amount: 80 }';

function partsOfDesk({ way }: Project): Parts {
  const desk = { imports: [], setUp: "", created: "createDesk(inngest, countersign)" };
  if (way === "loop") return { ...desk, reply: unused };
  if (way === "agent-kit") {
    const reply = `({ messages }) =>
      messages.at(-1)?.role === "user"
        ? { toolCalls: [{ name: "${sampleTool}", input: ${input} }] }
        : { text: "Done." }`;
    return { ...desk, reply };
  }
  return {
    imports: ['import { MockLanguageModelV3 } from "ai/test";'],
    created: "createDesk(inngest, countersign, model)",
    reply: unused,
    setUp: `const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const input = JSON.stringify(${input});
const model = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) =>
    prompt.at(-1)?.role === "user"
      ? {
          content: [{ type: "tool-call", toolCallId: "call_1", toolName: "${sampleTool}", input }],
          finishReason: { unified: "tool-calls", raw: undefined },
          ...{ usage, warnings: [] },
        }
      : {
          content: [{ type: "text", text: "Done." }],
          finishReason: { unified: "stop", raw: undefined },
          ...{ usage, warnings: [] },
        },
});

`,
  };
}

/** A stand-in for one of the project's tools: of these, only the names are known. */
function partsOfPolicy(tool: string): Parts {
  return {
    imports: ['import { gateTool } from "countersign";'],
    setUp: `/** Stands for your tool of this name. To test your own agent, give its function to the harness in place of this one. */
const tool = gateTool({ name: "${tool}", inputSchema: { type: "object" }, execute: async () => "Done." });

`,
    created: `
      inngest.createFunction({ id: "policy", triggers: [{ event: "policy/message" }] }, ({ step }) =>
        countersign.gate({ step }).call(tool, { id: "call_1", input: {} }),
      ),
    `,
    reply: unused,
  };
}
