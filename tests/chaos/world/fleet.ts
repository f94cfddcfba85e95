import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { diedAt } from "../crash-report.js";
import type { Role } from "../scenario/faults.js";

const fromChild = z.object({ type: z.literal("ready"), port: z.int() });

export interface MemberOptions {
  role: Role;
  index: number;
  environment: Record<string, string>;
  /** A bug that is planted in the product's code in this process. */
  plant: string | undefined;
}

/** One process of the installation, which is restarted after each death. */
export class Member {
  readonly role: Role;
  readonly index: number;
  /** The address on which it listens; `undefined` while it is down. */
  port: number | undefined;
  /** The named points; the process dies at the first one that it reaches. */
  armed: readonly string[] = [];
  starts = 0;
  #child: ChildProcess | undefined;
  #clockMs = 0;
  #downMs = 100;
  #stopping = false;
  #lastWords: string[] = [];

  constructor(
    private readonly options: MemberOptions,
    private readonly onCrashPoint: (name: string, member: Member) => void,
    private readonly onUnexpectedEnd: (member: Member, words: string) => void,
  ) {
    this.role = options.role;
    this.index = options.index;
  }

  get name(): string {
    return `${this.role} ${this.index}`;
  }

  /** Starts the process, and restarts it after each death. Resolves when it listens for the first time. */
  async start(): Promise<void> {
    for (;;) {
      if (await this.#live()) return;
      await sleep(500);
    }
  }

  /** Kills the process with SIGKILL. */
  kill(downMs: number): void {
    this.#downMs = downMs;
    this.#child?.kill("SIGKILL");
  }

  arm(names: readonly string[]): void {
    this.armed = names;
    this.#tell({ type: "arm", names });
  }

  shiftClock(offsetMs: number): void {
    this.#clockMs = offsetMs;
    this.#tell({ type: "clock", offsetMs });
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }

  #tell(message: object): void {
    if (this.#child?.connected) this.#child.send(message, () => {});
  }

  /** Runs the process once. Resolves to true when it listens, and to false if it ends before that. */
  #live(): Promise<boolean> {
    this.starts++;
    const { role, plant, environment } = this.options;
    const path = (file: string) => fileURLToPath(new URL(`../processes/${file}`, import.meta.url));
    const imports = [path("set-up.js"), ...(plant ? [path("plant.js")] : [])];
    const child = spawn(
      process.execPath,
      [...imports.flatMap((file) => ["--import", file]), path(`${role}.js`)],
      {
        env: {
          PATH: process.env.PATH,
          NODE_NO_WARNINGS: "1",
          CHAOS_CLOCK_OFFSET: String(this.#clockMs),
          ...(plant ? { CHAOS_PLANT: plant } : {}),
          ...environment,
        },
        stdio: ["ignore", "pipe", "pipe", "ipc"],
      },
    );
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk) => {
        if (process.env.CHAOS_LOG) process.stderr.write(`${new Date().toISOString()} ${this.name}: ${chunk}`);
        this.#lastWords = [...this.#lastWords, String(chunk)].slice(-20);
      });
    }
    return new Promise((resolve) => {
      child.on("message", (message) => {
        const parsed = fromChild.safeParse(message);
        if (!parsed.success) return;
        this.port = parsed.data.port;
        if (this.armed.length > 0) this.arm(this.armed);
        resolve(true);
      });
      child.once("exit", () => {
        this.port = undefined;
      });
      // By now all of its output has arrived.
      child.once("close", (_code, signal) => {
        this.#ended(signal);
        resolve(false);
      });
    });
  }

  #ended(signal: NodeJS.Signals | null): void {
    if (this.#stopping) return;
    const words = this.#lastWords.join("");
    this.#lastWords = [];
    const point = diedAt(words);
    if (signal === "SIGKILL" && point !== undefined) {
      this.onCrashPoint(point, this);
      this.armed = [];
    } else if (signal !== "SIGKILL") {
      this.onUnexpectedEnd(this, words);
    }
    const downMs = this.#downMs;
    this.#downMs = 100;
    void sleep(downMs).then(async () => {
      if (!this.#stopping) await this.#live();
    });
  }
}
