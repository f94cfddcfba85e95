import { createTool } from "@inngest/agent-kit";
import { ask, definePolicy, durable, withChecks } from "countersign";
import type { ApprovalView } from "countersign/hono";
import type { CheckContext } from "countersign/types";
import { z } from "zod";
import { inTurns } from "./desk-tools.js";
import { type Harness, openHarness } from "./harness.js";
import type { HarnessOptions } from "./harness-options.js";

export const file = { path: "test.txt", content: "hello" };

export type Wrap = <T extends ReturnType<typeof createTool>>(tool: T) => T;

/** The tool `write_file` with two checks. `disk` is what the checks look at, and `checked` is each of their runs. */
export function workspace(kind: Wrap = (tool) => tool) {
  const written: unknown[] = [];
  const checked: { name: string; path: unknown; context: CheckContext }[] = [];
  const disk = { free: 100, broken: false };
  const isDurable = kind === durable;
  const writeFile = withChecks(
    kind(
      createTool({
        name: "write_file",
        description: "Write a text file",
        parameters: z.object({ path: z.string(), content: z.string() }),
        // Outside of a step, a durable handler would run again on each replay.
        handler: (input, { step }) => {
          const write = () => written.push(input);
          return isDurable ? step?.run("write", write) : write();
        },
      }),
    ),
    [
      {
        name: "inside the workspace",
        run: ({ path }, context) => {
          checked.push({ name: "inside the workspace", path, context });
          return path.startsWith("/") ? { ok: false, message: `${path} is outside` } : true;
        },
      },
      {
        name: "disk space",
        run: async (_input, context) => {
          checked.push({ name: "disk space", path: undefined, context });
          if (disk.broken) throw new Error("mount //nas password=hunter2 failed");
          return { ok: disk.free > 0, message: `${disk.free} MB are free` };
        },
      },
    ],
  );
  const moments = () => checked.map(({ context }) => context.moment);
  return { writeFile, written, checked, disk, moments };
}

/** A person confirms each write, and may change its path. */
export const confirm = definePolicy({ tools: { write_file: ask({ editable: ["path"] }) } });
/** The results of the checks as long as they pass. */
export const passed = [
  { name: "disk space", ok: true, message: "100 MB are free" },
  { name: "inside the workspace", ok: true, message: null },
];

/** An installation whose agent writes one file, unless the options say otherwise. */
export async function openWorkspace(
  desk: ReturnType<typeof workspace>,
  options: Partial<HarnessOptions> & Pick<HarnessOptions, "database">,
  input: object = file,
) {
  const harness = await openHarness({
    tools: [desk.writeFile],
    policy: confirm,
    reply: inTurns({ toolCalls: [{ name: "write_file", input }] }),
    ...options,
  });
  return harness;
}

/** Lets the agent write its file, a person approve that, and the run end. */
export async function approvedWrite(harness: Harness): Promise<ApprovalView> {
  const { runId } = await harness.say("Write 'hello' to test.txt");
  const approval = await harness.onlyPending();
  await harness.decide(approval, "approve");
  await harness.ended(runId);
  return approval;
}

/** What the model reads as the result of its last call. */
export function resultOf(harness: Harness): string {
  return JSON.stringify(harness.model.requests.at(-1)?.body);
}

/** Waits for the end of a run whose steps are tried again. */
export function endedAfterRetries(harness: Harness, runId: string, status = "Completed") {
  return harness.onceAtRest(async () => {
    await harness.clock.advance("1m");
    const run = await harness.runStatus(runId);
    return run.status === status ? run : undefined;
  }, `run ${status}`);
}
