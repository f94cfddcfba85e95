import { changesOf } from "./instance-file.js";
import { sampleTool } from "./policy-file.js";
import type { Project } from "./project.js";

const send = `--send 'desk/message {"text": "Refund 80 EUR for A-1001"}'`;

/** What the person does next, in this order. */
export function nextSteps(project: Project): string {
  const { next, server, served, files, tools, typescript, isModule, has, desk: isDesk } = project;
  const names = isDesk ? [sampleTool] : tools;
  const start = next
    ? [
        "npx inngest-cli@latest dev -u http://localhost:3000/api/inngest",
        "INNGEST_DEV=1 npx next dev # in another terminal",
      ]
    : [`npx countersign dev ${server ?? served ?? files.server}${isDesk ? ` ${send}` : ""}`];
  const steps = [
    ...installs(project),
    ...(!next && typescript && !isModule
      ? ["npm pkg set type=module # Countersign's packages are ES modules"]
      : []),
    ...changesOf(project),
    ...(has(files.test) ? [runTest(project)] : []),
    `npx countersign policy check policy.yaml${names.length > 0 ? ` --tools ${names.join(",")}` : ""}`,
    ...start,
    "npx countersign migrate # for each release, with DATABASE_URL in the environment",
  ];
  return `Next:\n${steps.map((step) => `  ${step}\n`).join("")}`;
}

function runTest({ vitest, typescript, files }: Project): string {
  if (vitest) return `npx vitest run ${files.test}`;
  return `node ${typescript ? "--import tsx " : ""}--test ${files.test}`;
}

function installs({ installed, packageManager, way, next, typescript, vitest, server, served }: Project) {
  const { add, dev, addsPeers } = packageManager;
  const needed = [
    ...["countersign", "@countersign/policy", "@countersign/inbox", "inngest", "hono", "zod", "postgres"],
    ...(way === "agent-kit" ? ["@inngest/agent-kit"] : []),
    ...(way === "ai-sdk" ? ["ai"] : []),
    ...(next || server || served ? [] : ["@hono/node-server"]),
  ];
  const neededForDevelopment = [
    ...["@countersign/cli", "@countersign/testing", "@electric-sql/pglite"],
    ...(typescript ? ["@types/node"] : []),
    ...(typescript && !(next && vitest) ? ["tsx"] : []),
    ...(vitest ? ["vitest"] : []),
    // A peer of the package for tests.
    ...(addsPeers ? [] : ["@inngest/agent-kit"]),
  ];
  const missing = (names: string[]) => names.filter((name) => !installed(name));
  const line = (command: string, names: string[]) =>
    names.length > 0 ? [`${command} ${names.join(" ")}`] : [];
  return [
    ...line(add, missing(needed)),
    ...line(
      `${add} ${dev}`,
      missing(neededForDevelopment).filter((name) => !needed.includes(name)),
    ),
  ];
}
