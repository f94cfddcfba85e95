import { compileErrors, run } from "./project.mjs";

/** `ai` 7, which needs Node 22: that Node is a package of the project. */
export async function ai7({ folder }, check) {
  await check("a chat of ai 7 on Node 22 approves, denies and goes on after a reload", async () => {
    const printed = await run(folder, "npx", ["node", "chat.mjs"]);
    if (!printed.includes("The chat did what it should.")) throw new Error(`It printed:\n${printed}`);
  });
  await check("agents of ai 7 on Node 22 wait for people, and ask no model twice", async () => {
    const printed = await run(folder, "npx", ["node", "agent.mjs"]);
    if (!printed.includes("The agents did what they should.")) throw new Error(`It printed:\n${printed}`);
  });
  await check("an agent of ai 7 compiles, with every check of every declaration file", async () => {
    const errors = await compileErrors(folder, "desk.ts");
    if (errors.length > 0) throw new Error(errors.join("\n"));
  });
}
