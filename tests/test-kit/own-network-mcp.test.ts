import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTestHarness } from "@countersign/testing";
import { createAgent, createNetwork, openai } from "@inngest/agent-kit";
import { ask, definePolicy } from "countersign";
import { expect, it } from "vitest";

it("a harness with the application's network asks for approval before it runs MCP tools", async () => {
  const effectsFile = join(mkdtempSync(join(tmpdir(), "countersign-mcp-")), "effects");
  writeFileSync(effectsFile, "");
  await using desk = await createTestHarness({
    patience: "60s",
    policy: definePolicy({ tools: { "files-*": ask({ approvers: { roles: ["admin"] } }) } }),
    people: { ann: { id: "ann", roles: ["admin"] }, bob: { id: "bob", roles: [] } },
    network: ({ countersign }) => {
      const librarian = createAgent({
        name: "librarian",
        system: "You keep the files.",
        model: openai({ model: "gpt-4o", apiKey: "none" }),
        mcpServers: [
          {
            name: "files",
            transport: {
              type: "stdio",
              command: process.execPath,
              args: [fileURLToPath(new URL("../support/agents/mcp-server.mjs", import.meta.url))],
              env: { EFFECTS_FILE: effectsFile },
            },
          },
        ],
      });
      return createNetwork({
        name: "library",
        agents: [librarian],
        history: countersign.history,
        router: ({ lastResult }) => (lastResult && lastResult.toolCalls.length === 0 ? undefined : librarian),
      });
    },
    reply: ({ messages }) =>
      messages.at(-1)?.role === "user"
        ? { toolCalls: [{ name: "files-delete_file", input: { path: "/tmp/x" } }] }
        : { text: "Deleted." },
  });
  const turn = await desk.say("Delete /tmp/x");
  const [call] = await turn.pending();
  expect(call).toMatchObject({ toolName: "files-delete_file", agentName: "librarian" });
  expect(await desk.decide(call, { by: "bob", type: "approve" })).toMatchObject({ ok: false });
  expect(readFileSync(effectsFile, "utf8")).toBe("");
  expect(await desk.decide(call, { by: "ann", type: "approve" })).toMatchObject({ ok: true });
  await turn.ended();
  expect(readFileSync(effectsFile, "utf8")).toBe("/tmp/x\n");
  await desk.assertValidTranscripts();
});
