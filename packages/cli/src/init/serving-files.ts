import { importPath, nodeTypes, ownImports, servedFunctions, typed } from "./code.js";
import type { Project } from "./project.js";

const closed = (
  project: Project,
) => `// Nobody may read or decide until this says who sends a request, by your session. For example:
//   async (request${typed(project, ": Request")}) => ({ id: "ada", roles: ["approver"] })
const authenticate = async () => null;
`;

/** A server with the functions and the inbox. */
export const serverFile = (
  project: Project,
): string => `${nodeTypes(project)}import { approvalsApp } from "@countersign/inbox/server";
import { serve as listen } from "@hono/node-server";
import { Hono } from "hono";
import { serve } from "inngest/hono";
${ownImports(project, project.files.server)}
${closed(project)}
const functions = serve({
  client: inngest,
  functions: ${servedFunctions(project)},
});
const app = new Hono().all("/api/inngest", functions);
app.route("/", approvalsApp(countersign, { authenticate }));
listen({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) });
`;

/** Next's route of the functions. */
export const inngestRoute = (project: Project): string => `import { serve } from "inngest/next";
${ownImports(project, project.files.inngestRoute)}
export const { GET, POST, PUT } = serve({
  client: inngest,
  functions: ${servedFunctions(project)},
});
`;

/** Next's route of the inbox and its API. */
export const approvalsRoute = (
  project: Project,
): string => `import { approvalsApp } from "@countersign/inbox/server";
import { toNextHandlers } from "countersign/next";
import { countersign } from "${importPath(project, project.files.approvalsRoute, project.files.instance)}";

${closed(project)}
export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = toNextHandlers(
  approvalsApp(countersign, { authenticate }),
);
`;
