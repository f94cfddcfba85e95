import { posix } from "node:path";
import type { Project } from "./project.js";

/** The part of a text that only TypeScript has. */
export const typed = ({ typescript }: Project, text: string): string => (typescript ? text : "");

/** Begins a file that uses Node. */
export const nodeTypes = ({ namesNodeTypes }: Project): string =>
  namesNodeTypes ? '/// <reference types="node" />\n' : "";

/** How a file of the project imports another. */
export function importPath({ imports }: Project, from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  const address = path.startsWith(".") ? path : `./${path}`;
  if (imports === "own") return address;
  return address.replace(/\.([cm]?)[jt]sx?$/, (_, kind) => (imports === "none" ? "" : `.${kind}js`));
}

/** The imports of the instance, its Inngest client, and the new function if there is one. */
export function ownImports(project: Project, from: string): string {
  const { client, files } = project;
  const instance = importPath(project, from, files.instance);
  const lines = client?.exported
    ? [`import { countersign } from "${instance}";`, clientImport(project, from)]
    : [`import { countersign, inngest } from "${instance}";`];
  if (project.desk) lines.push(`import { createDesk } from "${importPath(project, from, files.desk)}";`);
  return `${lines.join("\n")}\n`;
}

/** The import of the project's client; empty if it cannot be imported. */
export function clientImport(project: Project, from: string): string {
  const { client } = project;
  if (!client?.exported) return "";
  const name = client.exported === "inngest" ? "inngest" : `${client.exported} as inngest`;
  return `import { ${name} } from "${importPath(project, from, client.file)}";`;
}

/** The functions that are served. */
export const servedFunctions = (project: Project): string =>
  project.desk
    ? "[...countersign.functions, createDesk(inngest, countersign)]"
    : "[...countersign.functions /* and yours */]";
