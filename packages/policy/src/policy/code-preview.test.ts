import { describe, expect, it } from "vitest";
import { extractToolCalls } from "./code-preview.js";
import { codePreviewOf } from "./code-preview-of.js";

const names = (code: string) => extractToolCalls(code, "codemode").map((call) => call.toolName);

describe("extractToolCalls", () => {
  it.each([
    ['codemode.delete_file({ path: "..." })', ["delete_file"]],
    ['codemode["delete_file"]({ path: "..." })', ["delete_file"]],
    ["const fn = codemode.delete_file; fn({})", []],
    ["codemode[varName]({})", []],
    ["codemode[`delete_file`]({})", ["delete_file"]],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the script under test has it
    ["codemode[`delete_${x}`]({})", []],
    ["codemode?.delete_file?.({})", ["delete_file"]],
    ["(codemode?.delete_file)({})", ["delete_file"]],
    ["const x = await codemode.a(await codemode.b()); return x", ["a", "b"]],
    ["export default async () => { for await (const x of codemode.list()) {} }", ["list"]],
    ["with (other) { codemode.in_a_script() }", ["in_a_script"]],
    ["#!/usr/bin/env node\ncodemode.a()", ["a"]],
    ["other.delete_file({}); x.codemode.delete_file(); codemode.delete_file", []],
    ["codemode[1](); codemode[null](); codemode()", []],
    ["const = 1; codemode.a()", []],
    ["", []],
  ])("finds in %s the calls %j", (code, expected) => {
    expect(names(code)).toEqual(expected);
  });

  it("returns line and column, both from 1, in the order of the text", () => {
    expect(extractToolCalls("run(\n  codemode.b(codemode.a()))", "codemode")).toEqual([
      { toolName: "b", line: 2, column: 3 },
      { toolName: "a", line: 2, column: 14 },
    ]);
  });

  it("finds at most 200 calls, and none in code that is too long or too deep", () => {
    expect(names("codemode.a();".repeat(500))).toHaveLength(200);
    expect(names(`codemode.a();${" ".repeat(1_000_000)}`)).toEqual([]);
    expect(names(`${"(".repeat(100_000)}codemode.a()${")".repeat(100_000)}`)).toEqual([]);
  });
});

describe("codePreviewOf", () => {
  const at = { field: "script.code", object: "codemode" };

  it("reads the code from the field that the rule names", async () => {
    const input = { script: { code: 'codemode["\u202ex"]()' } };
    expect(await codePreviewOf(input, at)).toEqual([{ toolName: "⟨U+202E⟩x", line: 1, column: 1 }]);
  });

  it("returns an empty list for a script without calls", async () => {
    expect(await codePreviewOf({ script: { code: "[hidden]" } }, at)).toEqual([]);
  });

  it.each([null, {}, { script: "codemode.a()" }, { script: { code: 1 } }])(
    "returns null for %j, which has no script there",
    async (input) => {
      expect(await codePreviewOf(input, at)).toBeNull();
    },
  );

  it("returns null if no rule asks for a preview", async () => {
    expect(await codePreviewOf({ code: "codemode.a()" }, null)).toBeNull();
  });
});
