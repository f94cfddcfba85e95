import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Logger } from "@countersign/policy/internal/shared/logger";
import { warnOnce } from "@countersign/policy/internal/shared/warn-once";
import type { ToolUndo, Undo, UndoableTool } from "../../approval/tool-undo.js";
import type { Tool } from "../tool.js";
import { toolAddition } from "./tool-addition.js";
import { toolVersion } from "./tool-version.js";
import type { ArgumentsOf } from "./with-preview.js";

/** A tool of `gateTool` has its undo as a property. */
const undos = toolAddition<ToolUndo>("undo", (tool) => {
  const own: unknown = Reflect.get(tool, "undo");
  if (typeof own !== "function") return undefined;
  return { undo: own as Undo, idempotent: Reflect.get(tool, "idempotent") === true };
});

/** How a tool undoes its calls, if it can. */
export const undoOf = undos.of;

/** Lets another form of a tool have the tool's own undo. */
export const shareUndo = undos.share;

/** A value as JSON holds it. */
export type AsJson<T> = T extends { toJSON(): infer Json }
  ? Json
  : T extends (...args: never[]) => unknown
    ? never
    : T extends object
      ? { [Key in keyof T]: AsJson<T[Key]> }
      : T;

/** What a plain function, or a tool of the AI SDK or of AgentKit, returns, as JSON holds it. */
export type OutcomeOf<T> = T extends (...args: never[]) => infer Result
  ? AsJson<Awaited<Result>>
  : T extends { handler: (...args: never[]) => infer Result }
    ? AsJson<Awaited<Result>>
    : T extends { execute?: infer Execute }
      ? NonNullable<Execute> extends (...args: never[]) => infer Result
        ? AsJson<Awaited<Result>>
        : unknown
      : unknown;

/**
 * Lets people take back a call of a tool after it ran, where a rule or the tool's preview says that it is `reversible`.
 * Name the tool in `undoable` of `createCountersign` too: an undo runs outside of the agent's run. For tools of AgentKit
 * and of the AI SDK, and for functions of `applyProfile`; `gateTool` takes an `undo` of its own.
 *
 * @throws CountersignError `invalid_option` if the undo is no function, or if the tool has one.
 *
 * @example
 * ```ts
 * import { createTool } from "@inngest/agent-kit";
 * import { withUndo } from "countersign";
 * import { z } from "zod";
 *
 * declare const carrier: { book(order: string): Promise<{ id: string }>; cancel(id: string): Promise<void> };
 *
 * export const bookCarrier = withUndo(
 *   createTool({
 *     name: "book_carrier",
 *     parameters: z.object({ orderId: z.string() }),
 *     handler: ({ orderId }) => carrier.book(orderId),
 *   }),
 *   (_input, booking) => carrier.cancel(booking.id),
 * );
 * ```
 */
export function withUndo<T extends object>(
  tool: T,
  undo: Undo<ArgumentsOf<T>, OutcomeOf<T>>,
  { idempotent = false }: { idempotent?: boolean } = {},
): T {
  const name = String(Reflect.get(tool, "name") ?? "this tool");
  if (typeof undo !== "function") {
    throw new CountersignError("invalid_option", `withUndo: "${name}": the undo must be a function`);
  }
  if (undoOf(tool)) {
    throw new CountersignError("invalid_option", `withUndo: "${name}" already has an undo`);
  }
  return undos.add(tool, { undo: undo as Undo, idempotent });
}

/**
 * Whether the calls of this tool can be undone: it has an undo, and is the tool in `undoable`, not another one of its name,
 * whose outcome means something else.
 */
export async function isUndoable(
  { undos, logger }: { undos: ReadonlyMap<string, UndoableTool>; logger: Logger },
  tool: Tool,
): Promise<boolean> {
  const named = undos.get(tool.name);
  if (!named || !undoOf(tool)) return false;
  if ((await named.version()) === toolVersion(tool)) return true;
  warnOnce(
    logger,
    `undoable:${tool.name}`,
    `The tool "${tool.name}" has an undo, but another tool of this name is in undoable of createCountersign: its description or its schema differs. Its calls cannot be undone. Name the same tool there.`,
    { toolName: tool.name },
  );
  return false;
}
