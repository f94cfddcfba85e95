import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { z } from "zod";
import { isPlantName, type Plant, type PlantName, plants } from "./plants.js";
import type { ToolName } from "./scenario/tools.js";

export interface ChaosOptions {
  seed: string;
  /** How long faults happen; healing and checking come after. */
  durationMs: number;
  apps: number;
  apis: number;
  /** An Inngest server on this machine. @default the local engine */
  engineUrl: string | undefined;
  /** A short run with few processes, in which a planted bug shows soon. */
  drill: boolean;
  /** The only tools that are called. @default all */
  tools: readonly ToolName[] | undefined;
  /** The only crash points, without deaths at random times. @default all, or those of a drill */
  points: readonly string[] | undefined;
  plant: PlantName | undefined;
  /** The name of a violation that ends the run at once. */
  stopAt: string | undefined;
  /** Milliseconds without any progress after which unfinished work counts as stuck. */
  patienceMs: number;
  /** The file to which the report is written as JSON. */
  output: string;
}

/** Several runs one after another, with the seeds 1, 2, 3 and so on. */
export interface ManyRuns {
  seeds: number;
  /** The options of each run beside its seed. */
  argv: string[];
}

export const usage = `npm run chaos -- [--seed TEXT | --seeds NUMBER] [--minutes NUMBER] [--drill] [--plant NAME]
                  [--engine URL] [--stop-at NAME] [--output FILE]

  --seed           repeats the schedule of an earlier run; by default random
  --seeds          so many runs, with the seeds 1, 2, 3 …; each has a report of its own
  --minutes        how long things go wrong (2); healing and checking come after
  --engine         an Inngest server on this machine in place of the local engine; it is never killed
  --drill          a short, small run in which planted bugs show soon
  --plant          puts a bug into the product: ${Object.keys(plants).join(", ")}
  --stop-at        ends at the first violation of this name, such as started-unclaimed
  --output         where the report goes as JSON (test-results/chaos.json)
`;

const number = z.coerce.number().positive().optional();

/** @throws TypeError or ZodError if the command line is wrong. */
export function readOptions(argv: string[]): ChaosOptions | ManyRuns | "help" {
  const { values } = parseArgs({
    args: argv,
    options: {
      seed: { type: "string" },
      seeds: { type: "string" },
      minutes: { type: "string" },
      drill: { type: "boolean", default: false },
      engine: { type: "string" },
      plant: { type: "string" },
      "stop-at": { type: "string" },
      output: { type: "string", default: "test-results/chaos.json" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  const { drill, plant, seed, seeds, output } = values;
  const engine = z
    .url({ protocol: /^https?$/ })
    .optional()
    .parse(values.engine);
  if (seeds !== undefined) {
    if (seed !== undefined) throw new TypeError("--seed is one run, --seeds are many: leave one of them out");
    const argv = [
      ...(drill ? ["--drill"] : []),
      ...(plant === undefined ? [] : ["--plant", plant]),
      ...(engine === undefined ? [] : ["--engine", engine]),
      ...(values.minutes === undefined ? [] : ["--minutes", values.minutes]),
      ...(values["stop-at"] === undefined ? [] : ["--stop-at", values["stop-at"]]),
    ];
    return { seeds: z.coerce.number().int().positive().parse(seeds), argv };
  }
  if (plant !== undefined && !isPlantName(plant)) throw new TypeError(`There is no plant "${plant}"`);
  const minutes = number.parse(values.minutes) ?? (drill ? 0.15 : 2);
  const aim: Plant["aim"] | undefined = drill && plant !== undefined ? plants[plant].aim : undefined;
  return {
    seed: seed ?? String(randomInt(1_000_000)),
    durationMs: minutes * 60_000,
    apps: aim && !aim.points ? 1 : drill ? 2 : 3,
    apis: drill ? 1 : 2,
    engineUrl: engine,
    drill,
    tools: aim?.tools,
    points: aim && (aim.points ?? []),
    plant,
    stopAt: values["stop-at"],
    patienceMs: drill ? 30_000 : 60_000,
    output,
  };
}
