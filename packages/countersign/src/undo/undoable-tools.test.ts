import { createTool } from "@inngest/agent-kit";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { withUndo } from "../call/tool/with-undo.js";
import { gateTool } from "../ways/loop/gate-tool.js";
import { type UndoableTools, undoableTools } from "./undoable-tools.js";

const context = {
  approval: { id: "apr_2", idempotencyKey: "apr_2" },
  undoneApprovalId: "apr_1",
  tenantId: "acme",
};

function booking() {
  return createTool({
    name: "book",
    parameters: z.object({ id: z.string() }),
    handler: ({ id }) => ({ id }),
  });
}

describe("undoable tools", () => {
  it("are found by their own names, or by those that an object gives them", () => {
    const book = withUndo(booking(), () => "cancelled", { idempotent: true });
    const fn = withUndo(
      async ({ id }: { id: string }) => ({ at: new Date(0), id }),
      (_input, { at, id }) => [at satisfies string, id],
    );
    expect(undoableTools([book]).get("book")).toMatchObject({ idempotent: true });
    const named = undoableTools({ book_it: book, book_function: fn });
    expect([...named.keys()]).toEqual(["book_it", "book_function"]);
    expect(named.get("book_function")?.undo({}, { at: "1970", id: "A" }, context)).toEqual(["1970", "A"]);
    expect(undoableTools().size).toBe(0);
  });

  it("of gateTool get the arguments as their schema parses them", async () => {
    const book = gateTool({
      name: "book",
      inputSchema: z.object({ day: z.string().transform((text) => Number(text)) }),
      execute: ({ day }) => day,
      undo: ({ day }, outcome) => [day, outcome],
    });
    expect(await undoableTools([book]).get("book")?.undo({ day: "7" }, "done", context)).toEqual([7, "done"]);
  });

  it.each<[string, unknown, string]>([
    [
      "a tool without an undo",
      [booking()],
      'undoable: "book": has no undo. Add it with withUndo(tool, undo)',
    ],
    ["a tool without a name", [{ undo: () => {} }], "undoable: has a tool without a name"],
    [
      "two tools of one name",
      [1, 2].map(() => withUndo(booking(), () => {})),
      'undoable: "book": is there twice',
    ],
    ["something else", 1, "undoable: must be a list of tools, or an object with tools by their names"],
  ])("cannot be %s", (_what, given, message) => {
    expect(() => undoableTools(given as UndoableTools)).toThrow(message);
  });

  it("have one undo, which is a function", () => {
    const book = withUndo(booking(), () => {});
    expect(() => withUndo(book, () => {})).toThrow('"book" already has an undo');
    expect(() => withUndo(booking(), 1 as never)).toThrow("the undo must be a function");
  });
});
