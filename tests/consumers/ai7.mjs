import { run } from "./project.mjs";

/** `ai` 7, which needs Node 22: that Node is a package of the project. */
/** They have errors in declarations of their own. Whatever else is found came with our packages. */
const ofOthers = /^(\.\.\/)*node_modules\/(@inngest\/agent-kit|inngest|ai|@ai-sdk)\//;

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
    const flags = [
      ...["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "false"],
      ...[
        "--module",
        "nodenext",
        "--target",
        "es2022",
        "--lib",
        "es2023,dom,dom.iterable",
        "--types",
        "node",
      ],
    ];
    const printed = await run(folder, "npx", ["tsc", ...flags, "desk.ts"]).catch((error) =>
      String(error.message),
    );
    const errors = printed.split("\n").filter((line) => /error TS\d+/.test(line) && !ofOthers.test(line));
    if (errors.length > 0) throw new Error(errors.join("\n"));
  });
}
