import { clientImport, nodeTypes, servedFunctions } from "./code.js";
import type { Project } from "./project.js";

/** The same text is valid in TypeScript and JavaScript. */
export function instanceFile(project: Project): string {
  const { way, files } = project;
  const imported = clientImport(project, files.instance);
  const changes = changesOf(project).map((line) => `// ${line}\n`);
  return `${nodeTypes(project)}import { openPolicy } from "@countersign/policy/files";
import { createCountersign } from "${way === "agent-kit" ? "countersign/agent-kit" : "countersign"}";
import { postgresStore } from "countersign/postgres";
${imported ? `${imported}\n` : `import { Inngest } from "inngest";\n\n${newClient(project)}`}
${changes.join("")}export const countersign = createCountersign({
  inngest,
  policy: openPolicy({ defaults: "policy.yaml" }),
  // In development, the data is in the folder .countersign; in production, in the database of DATABASE_URL.
  ...(process.env.NODE_ENV === "production" && { store: postgresStore() }),
});
`;
}

/** Two clients in one project would be two apps, of which each knows only its own functions. */
function newClient({ client, id }: Project): string {
  const comment = client
    ? `// ${client.file} creates an Inngest client. Import this one there instead: functions of two clients do not find each other.\n`
    : "";
  return `${comment}export const inngest = new Inngest({ id: ${JSON.stringify(id)} });\n`;
}

const bindings: Record<Project["way"], readonly string[]> = {
  "agent-kit": ["  await countersign.guard(networkOrAgent).run(message)"],
  "ai-sdk": [
    "  const gate = countersign.gate({ step })",
    "  generateText({ model: durableModel(model, step), tools: guardTools(tools, gate), … }) // of countersign/ai-sdk",
  ],
  loop: [
    "  const gate = countersign.gate({ step })",
    "  const results = await gate.calls(tools, calls) // tools of gateTool({ name, … })",
  ],
};

/** What is to be changed in files that exist already. */
export function changesOf(project: Project): string[] {
  const { way, agent, next, served, server, servesCountersign } = project;
  const place = servesCountersign ? undefined : (served ?? (next ? undefined : server));
  const functions = servedFunctions(project);
  const mounted = `app.all("/api/inngest", serve({ client: inngest, functions: ${functions} })) // of inngest/hono`;
  return [
    ...(project.desk
      ? []
      : [`Guard your agent where it runs${agent ? `, such as in ${agent}` : ""}:`, ...bindings[way]]),
    ...(place ? [`In ${place}, serve these functions:`, `  ${served ? functions : mounted}`] : []),
    ...(place && !next
      ? [
          "There, mount the inbox, with a function that says who sends a request:",
          '  app.route("/", approvalsApp(countersign, { authenticate })) // of @countersign/inbox/server',
        ]
      : []),
  ];
}
