import { join, relative, sep } from "node:path";
import type { Project } from "./project.js";

/** A file that `init` adds, relative to the project folder. */
export interface NewFile {
  path: string;
  text: string;
}

/** What a tool of this name probably needs. Whatever is neither listed nor harmless by its name is asked about. */
const guesses = [
  {
    verdict: "allow",
    globs: ["get_*", "list_*", "lookup_*", "search_*"],
    like: /^(get|list|look_?up|search|find|read)_/,
  },
  { verdict: "deny", globs: ["delete_*"], like: /^delete_/ },
  { verdict: "ask, approvers: { roles: [approver] }", globs: ["refund_*", "*_refund", "send_*"], like: /^/ },
] as const;

/** Rules for the tools that were found, each in one of them, or guesses by name if none was found. */
function policy(tools: readonly string[]): string {
  const rules = guesses.flatMap(({ verdict, globs }, index) => {
    const names = tools.filter((tool) => guesses.findIndex(({ like }) => like.test(tool)) === index);
    const listed = tools.length > 0 ? names : globs;
    return listed.length > 0 ? [`  - { tools: ${JSON.stringify(listed)}, verdict: ${verdict} }\n`] : [];
  });
  return `# Which tool calls run, need approval, or are denied. Check this file with: npx countersign policy check policy.yaml
# The strictest matching rule wins. A tool that matches no rule is denied.
version: 1
rules:
${rules.join("")}`;
}

/** The quickstart's files for this project. */
export function newFiles(project: Project): NewFile[] {
  const { sources, tools, typescript } = project;
  const extension = typescript ? "ts" : "mjs";
  return [
    { path: "policy.yaml", text: policy(tools) },
    { path: join(sources, `countersign.${extension}`), text: instance(project) },
  ];
}

/** Two clients in one project would be two apps, of which each knows only its own functions. */
function clientOf({ name, sources, client, typescript, importExtension }: Project) {
  if (!client?.exported) {
    const comment = client
      ? `// ${client.file} creates an Inngest client. Export it there and import it here instead: functions of two clients do not\n// find each other.`
      : "// If your app already has an Inngest client, import it instead.";
    return {
      imported: `import { Inngest } from "inngest";\n`,
      created: `${comment}\nexport const inngest = new Inngest({ id: ${JSON.stringify(name)} });\n\n`,
    };
  }
  const path = relative(sources, client.file).split(sep).join("/");
  const file = typescript
    ? path.replace(/\.([cm]?)[jt]sx?$/, (_, kind) => importExtension && `.${kind}js`)
    : path;
  const imported = client.exported === "inngest" ? "inngest" : `${client.exported} as inngest`;
  const address = file.startsWith("..") ? file : `./${file}`;
  return { imported: `import { ${imported} } from "${address}";\n`, created: "" };
}

/** The same text is valid in TypeScript and JavaScript. */
function instance(project: Project): string {
  const { imported, created } = clientOf(project);
  return `import { createCountersign } from "countersign/agent-kit";
import { apiTokenAuthenticator } from "countersign/auth";
import { approvalsApi } from "countersign/hono";
import { openPolicy } from "@countersign/policy/files";
import { postgresStore } from "countersign/postgres";
${imported}
${created}// Migrate the database with \`npx countersign migrate\`.
export const store = postgresStore({ url: process.env["DATABASE_URL"] ?? "" });

// 1. Guard your network or agent before it runs:
//      await countersign.guard(network).run(message)
// 2. Serve Countersign's functions with your own:
//      serve({ client: inngest, functions: [...countersign.functions, yours] })
export const countersign = createCountersign({
  inngest,
  store,
  policy: openPolicy({ defaults: "policy.yaml" }),
  timeout: "30m",
});

// 3. Mount the API on which people decide:
//      app.route("/api", approvals)
//    It answers everybody with 401 until you add a token (createApiToken() of countersign/auth makes one and its hash)
//    or pass your app's sign-in as \`authenticate\`.
export const approvals = approvalsApi(countersign, { authenticate: apiTokenAuthenticator({ tokens: [] }) });
`;
}
