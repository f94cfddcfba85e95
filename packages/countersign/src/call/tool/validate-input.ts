import { toolInputJson } from "../../approval/tool-input.js";
import type { Tool } from "../tool.js";

/** The problems of the arguments by the tool's own schema, one per field; empty if they fit. */
export async function inputProblems(tool: Tool, input: unknown): Promise<string[]> {
  if (!tool.parameters) return [];
  try {
    const parsed = await tool.parameters.safeParseAsync(input);
    if (parsed.success) return [];
    return parsed.error.issues.map(
      (issue) => `${issue.path.map(String).join(".") || "input"}: ${issue.message}`,
    );
  } catch {
    return ["input: the tool's own validation failed"];
  }
}

/** The arguments as JSON text, or their problems by the limits and the tool's own schema. */
export async function checkArguments(
  tool: Tool,
  input: unknown,
  maxBytes: number,
): Promise<{ ok: true; json: string } | { ok: false; problems: string[] }> {
  const checked = toolInputJson(input, maxBytes);
  if (!checked.ok) return { ok: false, problems: [checked.problem] };
  const problems = await inputProblems(tool, JSON.parse(checked.json));
  return problems.length > 0 ? { ok: false, problems } : checked;
}
