import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { type Changes, validUntil } from "./changes.js";

const [readAt, second, day] = [1_767_323_400_000, 1_000, 86_400_000];
const until = (...due: number[]) =>
  validUntil(new Date(readAt), ...due.map((ms) => new Date(readAt + ms))).getTime() - readAt;

it("a judgement holds for less than a minute", () => {
  expect(until()).toBeGreaterThan(second);
  expect(until()).toBeLessThan(60 * second);
});

it.each<[due: number[], ms: number]>([
  [[day], until()],
  [[second], 999],
  [[day, second, 2], 1],
  [[-second], -second - 1],
])("a judgement that changes after %j ms holds for %i ms", (due, ms) => {
  expect(until(...due)).toBe(ms);
});

it("the function that writes knows each part of the changes, and refuses all others", () => {
  const parts: Record<
    keyof Omit<Changes, "tenantId" | "audited" | "publishedUpTo"> | "logs" | "deliveries",
    true
  > = {
    ...{ logs: true, deliveries: true, judgedAt: true, validUntil: true, turn: true, proposal: true },
    ...{ allowed: true, request: true, approvals: true, stops: true, evidence: true, proofs: true },
    ...{
      grants: true,
      vote: true,
      counted: true,
      newGrant: true,
      names: true,
      snooze: true,
      snoozeEnds: true,
    },
  };
  const text = readFileSync(new URL("read-and-apply.sql", import.meta.url), "utf8");
  const [, known = ""] = /IF changes - ARRAY\[([^\]]+)\]/.exec(text) ?? [];
  expect(known.match(/\w+/g)?.sort()).toEqual(Object.keys(parts).sort());
});
