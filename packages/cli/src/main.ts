import { createInterface } from "node:readline/promises";
import { settingsVariable } from "./dev/messages.js";
import { runCli } from "./run-cli.js";

/** Exit code after writing to a closed pipe, as shells report it (128 + SIGPIPE). */
const closedPipe = 141;

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(closedPipe);
    throw error;
  });
}

/** Prompts on standard error, since standard output may be redirected. */
async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

const app = process.env[settingsVariable];
if (app !== undefined) {
  // This is the process of an app that `dev` runs.
  delete process.env[settingsVariable];
  const { runApp } = await import("./dev/run-app.js");
  await runApp(app);
} else {
  process.exitCode = await runCli(process.argv.slice(2), {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    ...(process.stdin.isTTY && { ask }),
  });
}
