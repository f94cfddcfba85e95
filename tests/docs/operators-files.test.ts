import { readdirSync, readFileSync } from "node:fs";
import { createMetrics } from "countersign/metrics";
import { pgliteStore } from "countersign/pglite";
import { validate } from "dockerfile-utils";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const folder = new URL("../../docs/operating/files/", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, folder), "utf8");

const rule = z.strictObject({
  alert: z.string().startsWith("Countersign"),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.strictObject({ severity: z.enum(["critical", "warning", "info"]) }),
  annotations: z.strictObject({ summary: z.string(), description: z.string().optional() }),
});
const alerts = z.strictObject({
  groups: z.tuple([z.strictObject({ name: z.string(), rules: z.array(rule) })]),
});
const board = z.object({
  panels: z.array(
    z.object({
      id: z.number(),
      targets: z.array(z.object({ expr: z.string(), legendFormat: z.string().optional() })),
    }),
  ),
});

const { rules } = alerts.parse(parse(read("alerts.yml"))).groups[0];
const { panels } = board.parse(JSON.parse(read("grafana.json")));
/** Each expression, and the text that shows labels of its result. */
const queries = [
  ...rules.map(({ expr, annotations }) => ({ expr, shown: Object.values(annotations).join(" ") })),
  ...panels.flatMap(({ targets }) => targets.map(({ expr, legendFormat: shown = "" }) => ({ expr, shown }))),
];

/** The series that the registry serves: the names of their labels, and the values that are known from the start. */
const series = new Map<string, { labels: readonly string[]; values: ReadonlyMap<string, Set<unknown>> }>();

beforeAll(async () => {
  const { registry } = createMetrics({ store: pgliteStore() });
  for (const { name, type, values } of await registry.getMetricsAsJSON()) {
    const metric = z.object({ labelNames: z.array(z.string()) }).parse(registry.getSingleMetric(name));
    const isHistogram = String(type) === "histogram";
    const known = new Map(metric.labelNames.map((label) => [label, new Set<unknown>()]));
    for (const { labels } of values) {
      for (const [label, value] of Object.entries(labels)) known.get(label)?.add(value);
    }
    for (const suffix of isHistogram ? ["_bucket", "_sum", "_count"] : [""]) {
      const labels = suffix === "_bucket" ? [...metric.labelNames, "le"] : metric.labelNames;
      series.set(`${name}${suffix}`, { labels, values: known });
    }
  }
});

const metricsIn = (expr: string) => [...expr.matchAll(/\bcountersign_\w+/g)].map(([name]) => name);

/** The labels by which an expression selects: `{cause=~"run_lost|stopped"}`. */
const selectorsIn = (expr: string) =>
  [...expr.matchAll(/\b(countersign_\w+)\{([^}]*)\}/g)].flatMap(([, name = "", inner = ""]) =>
    [...inner.matchAll(/(\w+)\s*[=!]~?\s*"([^"]*)"/g)].map(([, label = "", value = ""]) => ({
      name,
      label,
      values: value.split("|"),
    })),
  );

/** The labels that an expression keeps, and those that a text shows. */
const keptIn = (expr: string) =>
  [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, inner = ""]) => inner.split(/,\s*/));
const shownIn = (text: string) =>
  [...text.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)].map(([, label = ""]) => label);

describe("the alert rules and the board", () => {
  it("use metrics that exist, each of them at least once", () => {
    const used = queries.flatMap(({ expr }) => metricsIn(expr));
    expect(used.filter((name) => !series.has(name))).toEqual([]);
    const unused = [...series.keys()].filter((name) => !used.includes(name) && !/_(sum|count)$/.test(name));
    expect(unused).toEqual([]);
  });

  it("use labels that these metrics have", () => {
    const wrong = queries.flatMap(({ expr, shown }) => {
      const labels = metricsIn(expr).flatMap((name) => series.get(name)?.labels ?? []);
      const selected = selectorsIn(expr).map(({ label }) => label);
      // Other exporters have their own labels.
      const others = metricsIn(expr).length === 0 ? ["instance"] : [];
      const used = [...selected, ...keptIn(expr), ...shownIn(shown)];
      return used
        .filter((label) => ![...labels, ...others].includes(label))
        .map((label) => ({ expr, label }));
    });
    expect(wrong).toEqual([]);
    expect(queries.flatMap(({ expr }) => keptIn(expr)).length).toBeGreaterThan(10);
  });

  it("select by causes of withdrawal that exist, and that have a series before the first withdrawal", () => {
    const selected = queries
      .flatMap(({ expr }) => selectorsIn(expr))
      .filter(({ label }) => label === "cause");
    expect(selected.length).toBeGreaterThan(3);
    for (const { name, label, values } of selected) {
      expect([...(series.get(name)?.values.get(label) ?? [])]).toEqual(expect.arrayContaining(values));
    }
  });

  it("give each alert and each panel a name of its own", () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });
});

it("the Dockerfile is valid, and starts node itself, without a shell and not as root", () => {
  const text = read("Dockerfile");
  expect(validate(text)).toEqual([]);
  const [, command = ""] = text.match(/^CMD (.*)$/m) ?? [];
  expect(JSON.parse(command)).toEqual(["node", "dist/server.js"]);
  const [, last = ""] = text.split(/^(?=FROM)/m).slice(1);
  expect(last).toMatch(/^USER node$/m);
  expect(last).toMatch(/^STOPSIGNAL SIGTERM$/m);
});

it("the unit runs the same command as the image, and ends it with the same signal", () => {
  const unit = read("countersign-app.service");
  expect(unit).toMatch(/^ExecStart=\/usr\/bin\/node dist\/server\.js$/m);
  expect(unit).toMatch(/^KillSignal=SIGTERM$/m);
  for (const setting of ["Restart=always", "TimeoutStopSec=", "EnvironmentFile=", "User="]) {
    expect(unit).toContain(`\n${setting}`);
  }
});

it("the page about operations has a link to each file", () => {
  const page = readFileSync(new URL("../operations.md", folder), "utf8");
  expect(readdirSync(folder).filter((file) => !page.includes(`](files/${file})`))).toEqual([]);
});
