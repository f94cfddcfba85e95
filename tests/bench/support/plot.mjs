import { writeFileSync } from "node:fs";
import * as vega from "vega";
import { compile } from "vega-lite";

const themes = {
  light: {
    text: "#1f2328",
    quiet: "#d1d9e0",
    ours: "#0969da",
    others: "#848d97",
    lines: ["#0969da", "#8250df", "#bc4c00", "#1a7f37"],
  },
  dark: {
    text: "#f0f6fc",
    quiet: "#3d444d",
    ours: "#4493f8",
    others: "#9198a1",
    lines: ["#4493f8", "#ab7df8", "#db6d28", "#3fb950"],
  },
};

/**
 * Draws docs/images/benchmarks-{light,dark}.svg.
 *
 * @param {import("./measure.mjs").Result[]} results
 * @param {URL} root
 */
export async function plot(results, root) {
  /** @param {string} name */
  const figure = (name) => {
    const found = results.find((result) => result.name === name);
    if (!found) throw new Error(`bench-results.json has no "${name}"; run all benchmarks`);
    return found.value;
  };
  const toTool = [
    { who: "bare step.waitForEvent", ms: figure("event to step, bare wait"), ours: false },
    { who: "smallest invoke-and-wait", ms: figure("event to step, smallest invoke-and-wait"), ours: false },
    { who: "Countersign, from the commit", ms: figure("decision committed to tool"), ours: true },
    { who: "Countersign, from the request", ms: figure("decision asked for to tool"), ours: true },
    { who: "LangGraph, from the request", ms: figure("approval asked for to tool, LangGraph"), ours: false },
    { who: "Mastra, from the request", ms: figure("approval asked for to tool, Mastra"), ours: false },
  ];

  const stored = ["0", "10,000", "1,000,000"].flatMap((before) =>
    ["list what waits", "list what was decided", "count what waits", "decide"].map((what) => ({
      what,
      before,
      ms: figure(`${what}, ${before} approvals decided before`),
    })),
  );

  for (const [name, theme] of Object.entries(themes)) {
    const spec = compile({
      background: undefined,
      padding: 8,
      config: {
        background: "transparent",
        font: "system-ui, sans-serif",
        view: { stroke: null },
        axis: {
          labelColor: theme.text,
          titleColor: theme.text,
          gridColor: theme.quiet,
          domainColor: theme.quiet,
          tickColor: theme.quiet,
          labelFontSize: 12,
          titleFontSize: 12,
        },
        title: { color: theme.text, fontSize: 14, anchor: "start" },
        legend: { labelColor: theme.text, labelFontSize: 12, labelLimit: 300, orient: "bottom", columns: 2 },
      },
      resolve: { legend: { color: "independent" } },
      vconcat: [
        {
          title: "From a decision to its tool, milliseconds",
          width: 420,
          height: { step: 26 },
          data: { values: toTool },
          encoding: {
            y: { field: "who", type: "nominal", sort: null, title: null, axis: { labelLimit: 300 } },
            x: { field: "ms", type: "quantitative", title: null },
          },
          layer: [
            {
              mark: { type: "bar" },
              encoding: {
                color: { condition: { test: "datum.ours", value: theme.ours }, value: theme.others },
              },
            },
            {
              mark: { type: "text", align: "left", dx: 4, color: theme.text, fontSize: 12 },
              encoding: { text: { field: "ms", type: "quantitative", format: ".3~r" } },
            },
          ],
        },
        {
          title: "With so many approvals decided before, milliseconds",
          width: 420,
          height: 180,
          data: { values: stored },
          mark: { type: "line", point: { size: 60 }, strokeWidth: 2 },
          encoding: {
            x: { field: "before", type: "nominal", sort: null, title: null, axis: { labelAngle: 0 } },
            y: { field: "ms", type: "quantitative", title: null },
            color: { field: "what", type: "nominal", sort: null, title: null, scale: { range: theme.lines } },
          },
        },
      ],
    }).spec;
    const view = new vega.View(vega.parse(spec), { renderer: "none" });
    writeFileSync(new URL(`docs/images/benchmarks-${name}.svg`, root), `${await view.toSVG()}\n`);
  }
}
