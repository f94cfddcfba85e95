import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { otherJsonSchemas, policyJsonSchema } from "./policy-json-schema.js";

const published = JSON.parse(readFileSync(new URL("../../../policy.schema.json", import.meta.url), "utf8"));

it("the published JSON Schema is up to date; if not, run npm run schema -w @countersign/policy", () => {
  expect(published).toEqual(policyJsonSchema());
});

it("the published JSON Schema describes the fields of a file and of a rule", () => {
  const rule = published.properties.rules.items.properties;
  for (const name of [
    "tools",
    "except",
    "verdict",
    "supervision",
    "when",
    "reason",
    "summary",
    "risk",
    "timeout",
  ]) {
    expect([name, rule[name]?.description]).toEqual([name, expect.any(String)]);
  }
  expect(published.required).toEqual(["version", "rules"]);
  expect(rule.risk.anyOf[0].enum).toContain("critical");
  expect("CONFIRM").toMatch(new RegExp(rule.supervision.anyOf[1].pattern));
});

it("the JSON Schemas of other formats describe the fields in which Countersign differs", () => {
  expect(otherJsonSchemas()).toMatchObject({
    toolApprovals: { properties: { require_approval_by_default: { description: expect.any(String) } } },
    evaluation: { properties: { defaultProfile: { description: expect.any(String) } } },
  });
});
