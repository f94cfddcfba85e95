import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { createInterface } from "node:readline";

/** More than a server takes to start on a busy machine, in milliseconds. */
const timeout = 60_000;

/** A server of an installed project, in a process of its own. */
export function startServer({ cwd, file, args = [] }, env) {
  const child = spawn(process.execPath, [file, ...args], { cwd, env: { ...process.env, ...env } });
  const lines = [];
  const printed = new EventEmitter();
  for (const output of [child.stdout, child.stderr]) {
    createInterface({ input: output }).on("line", (line) => {
      lines.push(line);
      printed.emit("line");
    });
  }
  const ended = new Promise((resolve) => child.once("close", resolve));
  return {
    lines,
    async answers(url) {
      const until = Date.now() + timeout;
      for (;;) {
        const response = await fetch(url).catch(() => undefined);
        if (response?.ok) return;
        if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}`);
        if (Date.now() > until)
          throw new Error(`${url} answers ${response?.status}: ${await response?.text()}`);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    },
    async prints(line) {
      const signal = AbortSignal.timeout(timeout);
      while (!lines.includes(line)) await once(printed, "line", { signal });
    },
    async stop() {
      child.kill();
      const overdue = setTimeout(() => child.kill("SIGKILL"), timeout);
      await ended;
      clearTimeout(overdue);
      if (child.signalCode === "SIGKILL") throw new Error(`The server did not end:\n${lines.join("\n")}`);
    },
  };
}
