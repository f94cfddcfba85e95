import { z } from "zod";
import { undoOf } from "../agent-hook/tool/with-undo.js";
import type { ToolUndo, Undo } from "../approval/tool-undo.js";
import { type GateInputSchema, zodOf } from "../run-gate/input-schema.js";
import { wrongOption } from "../shared/invalid-option.js";

/** A tool of `gateTool`, whose functions get the arguments as its schema parses them. */
const gateToolSchema = z.object({
  undo: z.custom<Undo>((value) => typeof value === "function"),
  inputSchema: z.custom<GateInputSchema>((value) => typeof value === "object" && value !== null),
});

/** Tools with an undo: a list of tools that have names, or any tools and functions by name. */
export type UndoableTools = readonly { name: string }[] | Readonly<Record<string, object>>;

/**
 * How tools undo their calls, by name.
 *
 * @throws CountersignError `invalid_option`, naming the tool and the fix.
 */
export function undoableTools(tools: UndoableTools = []): ReadonlyMap<string, ToolUndo> {
  if (typeof tools !== "object" || tools === null) {
    throw wrongOption("undoable", "must be a list of tools, or an object with tools by their names");
  }
  const named: [string, object][] = Array.isArray(tools)
    ? tools.map((tool) => [String(Object(tool).name ?? ""), Object(tool)])
    : Object.entries(tools);
  const found = new Map<string, ToolUndo>();
  for (const [name, tool] of named) {
    const undo = undoOf(Object(tool));
    if (name === "") {
      throw wrongOption(
        "undoable",
        "has a tool without a name. Give an object with the tools by their names",
      );
    }
    if (!undo) {
      throw wrongOption(
        `undoable: "${name}"`,
        "has no undo. Add it with withUndo(tool, undo), or as undo in gateTool",
      );
    }
    if (found.has(name)) throw wrongOption(`undoable: "${name}"`, "is there twice");
    found.set(name, { ...undo, undo: parsing(tool, undo.undo) });
  }
  return found;
}

function parsing(tool: object, undo: Undo): Undo {
  const own = gateToolSchema.safeParse(tool);
  if (!own.success) return undo;
  const parameters = zodOf(own.data.inputSchema);
  return async (input, ...others) =>
    Reflect.apply(own.data.undo, tool, [await parameters.parseAsync(input), ...others]);
}
