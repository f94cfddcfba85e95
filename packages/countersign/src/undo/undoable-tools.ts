import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import * as z from "zod";
import type { Undo, UndoableTool } from "../approval/tool-undo.js";
import { toolVersion } from "../call/tool/tool-version.js";
import { undoOf } from "../call/tool/with-undo.js";
import type { Tool } from "../call/tool.js";
import { type AiTool, schemaOf } from "../ways/ai-sdk/ai-tool.js";
import { agentKitToolOf } from "../ways/ai-sdk/from-agent-kit.js";
import type { AnyGateTool } from "../ways/loop/gate-tool.js";
import { type GateInputSchema, zodOf } from "../ways/loop/input-schema.js";
import { reviewable } from "../ways/loop/reviewable-tool.js";

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
export function undoableTools(tools: UndoableTools = []): ReadonlyMap<string, UndoableTool> {
  if (typeof tools !== "object" || tools === null) {
    throw wrongOption("undoable", "must be a list of tools, or an object with tools by their names");
  }
  const named: [string, object][] = Array.isArray(tools)
    ? tools.map((tool) => [String(Object(tool).name ?? ""), Object(tool)])
    : Object.entries(tools);
  const found = new Map<string, UndoableTool>();
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
    let version: Promise<string> | undefined;
    found.set(name, {
      ...undo,
      undo: parsing(tool, undo.undo),
      version: () => {
        version ??= versionOf(name, tool);
        return version;
      },
    });
  }
  return found;
}

/** The version of a tool as its calls have it, in whichever way they are made. */
async function versionOf(name: string, given: object): Promise<string> {
  const tool = agentKitToolOf(given) ?? given;
  if (typeof tool === "function" || "handler" in tool) return toolVersion({ ...tool, name } as Tool);
  const { description, inputSchema, mcp } = tool as AiTool & Pick<AnyGateTool, "mcp">;
  return toolVersion(
    reviewable({
      name,
      ...(typeof description === "string" && { description }),
      inputSchema: await schemaOf(inputSchema),
      execute: () => undefined,
      ...(mcp && { mcp }),
    }),
  );
}

function parsing(tool: object, undo: Undo): Undo {
  const own = gateToolSchema.safeParse(tool);
  if (!own.success) return undo;
  const parameters = zodOf(own.data.inputSchema);
  return async (input, ...others) =>
    Reflect.apply(own.data.undo, tool, [await parameters.parseAsync(input), ...others]);
}
