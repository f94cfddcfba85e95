import { formatProblem } from "../policy/policy-problem.js";
import { type CliIo, type ExitCode, exitCodes } from "./cli-io.js";
import { loadFiles, reportProblems } from "./load-files.js";

export interface CheckOptions {
  tools?: string | undefined;
  json?: boolean | undefined;
}

/** `policy check`: are these files a policy? */
export function check(files: readonly string[], { tools, json = false }: CheckOptions, io: CliIo): ExitCode {
  const toolNames = tools?.split(",").map((name) => name.trim());
  const joined = loadFiles(files, toolNames);
  if (!joined.ok) return reportProblems(io, joined.problems, json);
  const { policy, notes } = joined;
  if (json) {
    const { version, profiles, defaultProfile = null } = policy;
    io.out(
      `${JSON.stringify({ ok: true, policyVersion: version, profiles, defaultProfile, notes }, null, 2)}\n`,
    );
    return exitCodes.fine;
  }
  for (const note of notes) io.out(`note: ${formatProblem(note)}\n`);
  const profiles = policy.profiles.length > 0 ? `, profiles ${policy.profiles.join(", ")}` : "";
  io.out(`${files.join(" and ")}: fine (version ${policy.version.slice(0, 12)}${profiles})\n`);
  return exitCodes.fine;
}
