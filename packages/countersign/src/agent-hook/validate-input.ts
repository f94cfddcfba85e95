import type { Tool } from "@inngest/agent-kit";

/** Whether arguments fit the tool's schema, as far as that can be told at once: a check that takes its time says no. */
export function fits(tool: Tool.Any, input: unknown): boolean {
  try {
    return tool.parameters?.safeParse(input).success ?? true;
  } catch {
    return false;
  }
}

/** What is wrong with the arguments by the tool's own schema, one problem a field; empty when they fit. */
export async function inputProblems(tool: Tool.Any, input: unknown): Promise<string[]> {
  if (!tool.parameters) return [];
  try {
    const parsed = await tool.parameters.safeParseAsync(input);
    if (parsed.success) return [];
    return parsed.error.issues.map(
      (issue) => `${issue.path.map(String).join(".") || "input"}: ${issue.message}`,
    );
  } catch {
    return ["input: the check that the tool itself makes failed"];
  }
}
