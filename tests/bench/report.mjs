// Writes the figures of bench-results.json into docs/benchmarks.md, and draws the plot; on the machine of the run.
import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { plot } from "./support/plot.mjs";

const root = new URL("../../", import.meta.url);
const source = new URL("bench-results.json", root);
const page = new URL("docs/benchmarks.md", root);
/** @type {import("./support/measure.mjs").Result[]} */
const results = JSON.parse(readFileSync(source, "utf8"));

const sizes = ["10", "100", "1000"];
const stored = ["0", "10,000", "1,000,000"];
const verbs = ["list what waits", "list what was decided", "count what waits", "decide"];
const counted = ["invocations", "steps", "bytes"];

/** What stands between the marks of each name; what is `undefined` stays as it is. @type {Record<string, () => string | undefined>} */
const figures = {
  run: () => `Unless they say otherwise, the figures on this page are of one run ${ranWith()}.`,
  aims: () => aims(results.filter(({ aim }) => aim !== undefined)),
  policy: () =>
    table(
      ["rules", "Countersign", "Cedar", "picomatch loop"],
      ["", " with conditions"].flatMap((conditions) =>
        sizes.map((size) => {
          const name = `policy, ${size} rules${conditions}`;
          const loop = conditions ? "knows no conditions" : figure(`${name}: picomatch loop, no conditions`);
          return [`${size}${conditions}`, figure(name), figure(`${name}: Cedar`), loop];
        }),
      ),
    ),
  "policy-rest": () =>
    table(
      ["", "Countersign", "picomatch loop"],
      [
        ...sizes.map((size) => {
          const name = `policy, ${size} rules, a name never seen before`;
          return [`the first call of a tool, ${size} rules`, figure(name), figure(`${name}: picomatch loop`)];
        }),
        ...["all judged", "all in doubt"].map((state) => [
          `100 conditions that mean the same tool, ${state}`,
          figure(`policy, 100 conditions for one tool, ${state}`),
          "",
        ]),
      ],
    ),
  stored: () =>
    table(
      ["decided before", ...stored],
      verbs.map((verb) => [
        verb,
        ...stored.map((size) => figure(`${verb}, ${size} approvals decided before`)),
      ]),
    ),
  limits: () => rows(/^(proposal with|added by the limit)/),
  "decision-to-tool": () => rows(/^(event to step|decision (committed|asked))/),
  "agent-turn": () => rows(/^agent turn/),
  "turn-cost": () =>
    table(
      ["", "plain AgentKit", "guarded"],
      [
        ...["without gated calls", "with one gated call", "with ten gated calls"].map((which) => [
          `a turn ${which}`,
          ...["plain AgentKit", "guarded"].map((subject) => cost(`a turn ${which}, ${subject}`)),
        ]),
        ["the relay, each minute", "", cost("the relay, each minute")],
      ],
    ),
  "real-server": () => {
    const ofServer = /^Inngest server/;
    // Without a server this was left out, and the page keeps the figures of the last run that had one.
    if (!results.some(({ name }) => ofServer.test(name))) return undefined;
    return `These figures are of a run ${ranWith()}.\n\n${rows(ofServer)}`;
  },
  "gated-calls": () =>
    table(
      ["gated calls of one response", ...counted],
      [
        ...["1", "10", "100"].map((size) => [
          size,
          ...counted.map((what) => figure(`${size} gated calls of one response: ${what}`)),
        ]),
        ["each further one", ...counted.map((what) => figure(`each further gated call: ${what}`))],
        [
          "100 beside the line through 1 and 10",
          ...counted.map((what) =>
            ratio(`100 gated calls of one response beside the line through 1 and 10: ${what}`),
          ),
        ],
      ],
    ),
  decisions: () => ofOwnRun(/^(decisions a second|statements of a decision)/),
  "approval-cost": () =>
    rows(
      /^(processor time of each|bytes of an approval|transactions of the product|statements (with|of the product))/,
    ),
  "by-hand": () => ofOwnRun(/^(processor time from|runs that end)/),
  "open-chats": () => rows(/open chat|^change to chat/),
  memory: () => rows(/calls? that waits?/),
  imports: () => ofOwnRun(/^(import|bundle) of/),
  "cold-start": () => rows(/^cold start/),
  inbox: () => rows(/^inbox/),
  peers: () => ofOwnRun(/^(approval asked for|approvals a second|most starts)/),
};

const text = readFileSync(page, "utf8").replace(
  /(<!-- figures: ([\w-]+) -->\n)[\s\S]*?(<!-- \/figures -->)/g,
  (section, open, name, close) => {
    const write = figures[name];
    if (!write) throw new Error(`docs/benchmarks.md asks for unknown figures: ${name}`);
    const written = write();
    return written === undefined ? section : `${open}\n${written}\n\n${close}`;
  },
);
writeFileSync(page, text);
// Its tables are as wide as what stands in them.
execFileSync("npx", ["biome", "format", "--write", fileURLToPath(page)], { cwd: fileURLToPath(root) });
await plot(results, root);

/** Figures that may be of a later run than the others, if they are there. @param {RegExp} names */
function ofOwnRun(names) {
  if (!results.some(({ name }) => names.test(name))) return undefined;
  return `These figures are of a run ${ranWith()}.\n\n${rows(names)}`;
}

function ranWith() {
  const date = statSync(source).mtime.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
  });
  return `on ${date} with Node ${process.version.slice(1)} on ${availableParallelism()} cores of an ${cpus()[0]?.model.trim() ?? "unknown processor"}`;
}

/** @param {string} name */
function cost(name) {
  const [runs, steps] = [found(`${name}: runs`).value, found(`${name}: steps`).value];
  return `${runs} ${runs === 1 ? "run" : "runs"}, ${steps} steps`;
}

/** @param {string} name */
function found(name) {
  const result = results.find((candidate) => candidate.name === name);
  if (!result) throw new Error(`bench-results.json has no "${name}"; run all benchmarks`);
  return result;
}

/** @param {number} value */
function short(value) {
  return Number(value.toPrecision(3)).toLocaleString("en");
}

/** @param {string} name */
function figure(name) {
  const result = found(name);
  const { value, unit, ratio: times } = result;
  const short_ = `${short(value)}${/calls?$|invocations|steps|bytes/.test(unit) && !unit.includes("/") ? "" : ` ${unit.replace("/call", "")}`}`;
  return times === undefined ? short_ : `${short_} (${short(times)} ×)`;
}

/** @param {string} name */
function ratio(name) {
  return `${short(found(name).ratio ?? Number.NaN)} ×`;
}

/** @param {RegExp} names */
function rows(names) {
  const chosen = results.filter(({ name }) => names.test(name));
  return table(
    ["", "", "compared", "aim", "met"],
    chosen.map(({ name, value, unit, ratioTo, ratio: times, aim, met }) => [
      name,
      `${short(value)} ${unit}`,
      times === undefined ? "" : `${short(times)} × ${ratioTo}`,
      aim ?? "",
      met === undefined ? "" : met ? "yes" : "**no**",
    ]),
  );
}

/** @param {import("./support/measure.mjs").Result[]} withAims */
function aims(withAims) {
  const missed = withAims.filter(({ met }) => !met);
  const count = `${withAims.length - missed.length} of ${withAims.length} aims are met.`;
  return missed.length === 0
    ? count
    : `${count} Missed:\n\n${table(
        ["", "", "aim"],
        missed.map(({ name, value, unit, ratioTo, ratio: times, aim }) => [
          name,
          aim?.endsWith("×") ? `${short(times ?? Number.NaN)} × ${ratioTo}` : `${short(value)} ${unit}`,
          aim ?? "",
        ]),
      )}`;
}

/** Padded, as formatters leave it. @param {string[]} head @param {string[][]} body */
function table(head, body) {
  const widths = head.map((cell, index) =>
    Math.max(3, cell.length, ...body.map((row) => row[index]?.length ?? 0)),
  );
  /** @param {string[]} cells */
  const line = (cells) => `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}
