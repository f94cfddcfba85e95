import { parseArgs } from "node:util";

export interface Options {
  engineUrl?: string;
  demoUrl?: string;
  only?: string;
  patienceMs: number;
  /** The address of this machine at which the server reaches the probe. */
  host: string;
}

export const usage = `Usage: npm run conformance -- [options]

  --engine <url>        the server; INNGEST_BASE_URL by default, or else the local engine
  --demo <url>          a demo that runs already, with the scripted model
  --only <text>         the scenarios whose name contains this text
  --host <address>      this machine's address at which the server reaches the probe (default: 127.0.0.1)
  --patience <seconds>  how long to wait for anything (default: 120)
  --help                show this`;

/** Reads the command line. Returns `problem` if it is wrong, and `help` if it asks for the usage. */
export function readOptions(
  args: string[],
  environment: NodeJS.ProcessEnv,
): Options | "help" | { problem: string } {
  try {
    const { values } = parseArgs({
      args,
      options: {
        engine: { type: "string" },
        demo: { type: "string" },
        only: { type: "string" },
        patience: { type: "string", default: "120" },
        host: { type: "string", default: "127.0.0.1" },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help) return "help";
    const engineUrl = values.engine ?? (environment.INNGEST_BASE_URL || undefined);
    for (const [name, url] of Object.entries({ engine: engineUrl, demo: values.demo })) {
      if (url !== undefined && !isHttpUrl(url))
        return { problem: `--${name} ${url}: must be an http:// or https:// URL` };
    }
    if (values.demo !== undefined && engineUrl === undefined) {
      return { problem: "--demo needs --engine: the server that the demo uses" };
    }
    const patienceMs = Number(values.patience) * 1000;
    if (!(patienceMs > 0))
      return { problem: `--patience ${values.patience}: must be a number of seconds above 0` };
    return {
      patienceMs,
      host: values.host,
      ...(engineUrl !== undefined && { engineUrl }),
      ...(values.demo !== undefined && { demoUrl: values.demo }),
      ...(values.only !== undefined && { only: values.only }),
    };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function isHttpUrl(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text);
}
