import { deskFile } from "./desk-files.js";
import { instanceFile } from "./instance-file.js";
import { policyFile, sampleTool } from "./policy-file.js";
import type { Project } from "./project.js";
import { approvalsRoute, inngestRoute, serverFile } from "./serving-files.js";
import { testFile } from "./test-file.js";

/** A file that `init` adds, relative to the project folder. */
export interface NewFile {
  path: string;
  text: string;
}

/** What the project needs and does not have in another file. */
export function newFiles(project: Project): NewFile[] {
  const { files, next, tools, has, served, server } = project;
  const added: Record<string, string | undefined | false> = {
    "policy.yaml": policyFile(project.desk ? [sampleTool] : tools),
    [files.instance]: instanceFile(project),
    [files.desk]: project.desk && deskFile(project),
    [files.server]: !next && !served && !server && serverFile(project),
    [files.inngestRoute]: next && !served && inngestRoute(project),
    [files.approvalsRoute]: next && !has(approvalsFolder(project)) && approvalsRoute(project),
    // The rules of another policy are not known.
    [files.test]: !has("policy.yaml") && testFile(project),
  };
  return Object.entries(added).flatMap(([path, text]) => (text ? [{ path, text }] : []));
}

/** A page in this folder would have the route's address. */
const approvalsFolder = ({ files }: Project) => files.approvalsRoute.replace(/\/\[.*$/, "");
