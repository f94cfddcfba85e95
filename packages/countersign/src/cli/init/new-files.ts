import { join } from "node:path";
import type { Project } from "./project.js";

/** A file that `init` adds, relative to the project folder. */
export interface NewFile {
  path: string;
  text: string;
}

const policy = `# Which tool calls run, need approval, or are denied. Check this file with: npx countersign policy check policy.yaml
# The strictest matching rule wins. A tool that matches no rule is denied.
version: 1
rules:
  - { tools: ["get_*", "list_*", "lookup_*", "search_*"], verdict: allow }
  - { tools: ["delete_*"], verdict: deny }
  - { tools: ["refund_*", "*_refund", "send_*"], verdict: ask, approvers: { roles: [approver] } }
`;

/** The quickstart's files for this project. */
export function newFiles({ name, sources, typescript }: Project): NewFile[] {
  const extension = typescript ? "ts" : "mjs";
  return [
    { path: "policy.yaml", text: policy },
    { path: join(sources, `countersign.${extension}`), text: instance(name) },
  ];
}

/** The same text is valid in TypeScript and JavaScript. */
function instance(name: string): string {
  return `import { createCountersign } from "countersign";
import { apiTokenAuthenticator } from "countersign/auth";
import { approvalsApi } from "countersign/hono";
import { openPolicy } from "countersign/policy";
import { postgresStore } from "countersign/postgres";
import { Inngest } from "inngest";

// If your app already has an Inngest client, import it instead.
export const inngest = new Inngest({ id: ${JSON.stringify(name)} });

// Migrate the database with \`npx countersign migrate\`.
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
