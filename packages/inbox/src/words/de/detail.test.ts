import { expect, it } from "vitest";
import { de } from "./index.js";

const { adds, people, records } = de.detail;

it("German texts of a call have the right number and case", () => {
  expect([1, 2, 7].map(adds.people)).toEqual(["eine Person", "zwei Personen", "7 Personen"]);
  expect([1, 2].map(people.extensionsLeft)).toEqual(["Noch 1 Verlängerung", "Noch 2 Verlängerungen"]);
  expect([1, 3].map(records.messages.failed)).toEqual([
    "Nach 1 Versuch fehlgeschlagen",
    "Nach 3 Versuchen fehlgeschlagen",
  ]);
});

it("the German line about earlier calls says whether there are more than were counted", () => {
  const { others } = records.history;
  const kind = { label: "Refund", name: "Refund" };
  expect(others(kind, 1, false, "ada")).toBe("1 weiterer Vorgang für ada in 30 Tagen");
  expect(others(kind, 41, false, "ada")).toBe("41 weitere Vorgänge für ada in 30 Tagen");
  expect(others(kind, 1, true, "ada")).toBe("Mindestens 1 weiterer Vorgang für ada in 30 Tagen");
});
