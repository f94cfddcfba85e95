import { expect, test } from "vitest";
import type { RegisteredFunction } from "../apps/registry.js";
import { CronSchedule } from "./cron-schedule.js";

const fn = { id: "app-f" } as RegisteredFunction;
const at = (text: string) => Date.parse(text);

test("a trigger is due at each of its times, also if the app registers again in between", () => {
  const schedule = new CronSchedule();
  const triggers = [{ fn, cron: "*/5 * * * *" }];
  schedule.set(triggers, at("2026-01-01T00:01:00Z"));
  schedule.set(triggers, at("2026-01-01T00:07:00Z"));
  expect(schedule.takeDue(at("2026-01-01T00:07:00Z"))).toMatchObject([{ at: at("2026-01-01T00:05:00Z") }]);
  expect(schedule.takeDue(at("2026-01-01T00:10:00Z"))).toMatchObject([{ at: at("2026-01-01T00:10:00Z") }]);
  expect(schedule.takeDue(at("2026-01-01T00:11:00Z"))).toEqual([]);
  expect(schedule.nextAt).toBe(at("2026-01-01T00:15:00Z"));
});

test("a trigger that missed several times is due once, at the last one; triggers are in order of time", () => {
  const schedule = new CronSchedule();
  const triggers = ["* * * * *", "0 9 * * *", "0 0 1 1 *"].map((cron) => ({ fn, cron }));
  schedule.set(triggers, at("2026-02-01T08:00:00Z"));
  expect(schedule.takeDue(at("2026-02-02T12:00:30Z"))).toMatchObject([
    { cron: "0 9 * * *", at: at("2026-02-02T09:00:00Z") },
    { cron: "* * * * *", at: at("2026-02-02T12:00:00Z") },
  ]);
  expect(schedule.nextAt).toBe(at("2026-02-02T12:01:00Z"));
});

test("a cron pattern may begin with a time zone, and is in UTC without one", () => {
  const schedule = new CronSchedule();
  schedule.set([{ fn, cron: "TZ=Europe/Paris 0 9 * * *" }], at("2026-07-01T00:00:00Z"));
  expect(schedule.nextAt).toBe(at("2026-07-01T07:00:00Z"));
  schedule.set([{ fn, cron: "0 9 * * *" }], at("2026-07-01T00:00:00Z"));
  expect(schedule.nextAt).toBe(at("2026-07-01T09:00:00Z"));
});
