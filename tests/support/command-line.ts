import { runCli } from "@countersign/cli/internal";

interface Surroundings {
  /** Environment variables beside those of the test run, which has no database for a command. */
  env?: Record<string, string>;
  /** What the person at the terminal types, who has read this. Without it, there is no terminal. */
  answer?: ((shown: string) => string) | undefined;
}

const ownEnv = process.env;

/** Runs a command of `countersign` in this process. Commands that run at once see the variables of one of them. */
export async function countersign(argv: readonly string[], { env = {}, answer }: Surroundings = {}) {
  const { DATABASE_URL: _, ...inherited } = ownEnv;
  let out = "";
  let err = "";
  process.env = { ...inherited, ...env };
  try {
    const code = await runCli(argv, {
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
      ...(answer && { ask: async () => answer(err) }),
    });
    return { code, out, err };
  } finally {
    process.env = ownEnv;
  }
}

/** The objects in what a command with `--json` has printed, one a line. */
export function linesOf<T = Record<string, unknown>>(out: string): T[] {
  return out
    .split("\n")
    .filter((line) => line !== "")
    .map((line): T => JSON.parse(line));
}
