import { typed } from "./code.js";
import { sampleTool } from "./policy-file.js";
import type { Project } from "./project.js";

/** A function with a guarded agent, in the project's way. Tests pass another client and instance. */
export const deskFile = (project: Project): string => desks[project.way](project);

const schema = "z.object({ orderId: z.string(), amount: z.number().positive() })";
const refund = `({ orderId, amount }) => \`Refunded \${amount} EUR for \${orderId}\``;

const parameters = (project: Project) =>
  `inngest${typed(project, ": Inngest.Any")}, countersign${typed(project, ": Countersign")}`;

const typesFrom = (project: Project, entry: string) =>
  typed(project, `import type { Countersign } from "${entry}";\nimport type { Inngest } from "inngest";\n`);

const desks: Record<Project["way"], (project: Project) => string> = {
  "agent-kit": (project) => `import { createAgent, createTool, openai } from "@inngest/agent-kit";
${typesFrom(project, "countersign/agent-kit")}import { z } from "zod";

/** Its rule is in policy.yaml. */
const issueRefund = createTool({
  name: "${sampleTool}",
  description: "Pays an order back.",
  parameters: ${schema},
  handler: ${refund},
});

/** Runs the agent for each event \`desk/message\`. */
export const createDesk = (${parameters(project)}) =>
  inngest.createFunction({ id: "desk", triggers: [{ event: "desk/message" }] }, async ({ event }) => {
    const agent = createAgent({
      name: "desk",
      system: "You refund orders.",
      model: openai({ model: "gpt-5-mini" }),
      tools: [issueRefund],
    });
    const { output } = await countersign.guard(agent).run(String(event.data.text), { maxIter: 10 });
    return output;
  });
`,
  "ai-sdk": (
    project,
  ) => `import { gateway, generateText, ${typed(project, "type LanguageModel, ")}tool } from "ai";
${typed(project, `import type { Countersign } from "countersign";\n`)}import { durableModel, guardTools } from "countersign/ai-sdk";
${typed(project, `import type { Inngest } from "inngest";\n`)}import { z } from "zod";

/** Their rules are in policy.yaml. */
const tools = {
  ${sampleTool}: tool({
    description: "Pays an order back.",
    inputSchema: ${schema},
    execute: async ${refund},
  }),
};

/** Runs the agent for each event \`desk/message\`. Pass any model of the AI SDK, such as \`openai("gpt-5-mini")\`. */
export const createDesk = (
  ${parameters(project)},
  model${typed(project, ": Exclude<LanguageModel, string>")} = gateway("openai/gpt-5-mini"),
) =>
  inngest.createFunction({ id: "desk", triggers: [{ event: "desk/message" }] }, async ({ event, step }) => {
    const gate = countersign.gate({ step });
    const { text } = await generateText({
      model: durableModel(model, step),
      tools: guardTools(tools, gate),
      prompt: String(event.data.text),
      stopWhen: ({ steps }) => steps.length >= 10,
    });
    return text;
  });
`,
  loop: (project) => `import { ${typed(project, "type Countersign, ")}gateTool } from "countersign";
${typed(project, `import type { Inngest } from "inngest";\n`)}import { z } from "zod";

/** Its rule is in policy.yaml. */
const issueRefund = gateTool({
  name: "${sampleTool}",
  description: "Pays an order back.",
  inputSchema: ${schema},
  execute: async ${refund},
});
${typed(
  project,
  `
interface Answer {
  text: string;
  calls: { id: string; name: string; input: unknown }[];
}
type Message = { role: "user" | "tool"; text: string; callId?: string } | ({ role: "assistant" } & Answer);
`,
)}
/** Stands for your model, which it replaces by a request of your client: asks for a refund, and repeats its result. */
async function askModel(messages${typed(project, ": Message[]")})${typed(project, ": Promise<Answer>")} {
  const last = messages.at(-1);
  if (last?.role === "tool") return { text: last.text, calls: [] };
  const input = { orderId: "A-1001", amount: 80 };
  return { text: "", calls: [{ id: "call_1", name: issueRefund.name, input }] };
}

/** Runs the agent for each event \`desk/message\`. */
export const createDesk = (${parameters(project)}) =>
  inngest.createFunction({ id: "desk", triggers: [{ event: "desk/message" }] }, async ({ event, step }) => {
    const gate = countersign.gate({ step });
    const messages${typed(project, ": Message[]")} = [{ role: "user", text: String(event.data.text) }];
    for (let turn = 1; turn <= 10; turn++) {
      const answer = await step.run(\`model \${turn}\`, () => askModel(messages));
      if (answer.calls.length === 0) return answer.text;
      messages.push({ role: "assistant", ...answer });
      const results = await gate.calls([issueRefund], answer.calls, { text: answer.text });
      for (const { id, content } of results) messages.push({ role: "tool", text: content, callId: id });
    }
    throw new Error("The agent needed more than 10 turns");
  });
`,
};
