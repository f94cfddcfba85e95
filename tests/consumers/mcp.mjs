import { renameSync } from "node:fs";
import { join } from "node:path";
import { run } from "./project.mjs";

/** Each entry point with the optional package that it needs. */
const needed = { "@countersign/mcp/client": "client", "@countersign/mcp/server": "server" };

/** An application that uses MCP both ways, and one that has not installed what it needs for that. */
export async function mcp({ folder }, check) {
  await check("a client asks our server, and our client lists another server's tools", async () => {
    const printed = await run(folder, process.execPath, [join("mcp", "both-ways.mjs")]);
    if (printed !== "pending\ntrips-book\n") throw new Error(`The app printed:\n${printed}`);
  });
  for (const [entry, name] of Object.entries(needed)) {
    await check(`${entry} without its optional package says which one to install`, async () => {
      const installed = join(folder, "node_modules", "@modelcontextprotocol", name);
      renameSync(installed, `${installed}-aside`);
      try {
        await run(folder, process.execPath, ["--input-type=module", "--eval", 'await import("countersign")']);
        const failed = await run(folder, process.execPath, [
          "--input-type=module",
          "--eval",
          `await import("${entry}")`,
        ]).catch((error) => String(error.message));
        if (!failed.includes(`Cannot find package '@modelcontextprotocol/${name}'`)) {
          throw new Error(`The import printed:\n${failed}`);
        }
      } finally {
        renameSync(`${installed}-aside`, installed);
      }
    });
  }
}
