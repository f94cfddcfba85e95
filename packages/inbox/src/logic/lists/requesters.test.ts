import { expect, it } from "vitest";
import { grouped } from "./groups.js";
import { namedRows, requesterOf } from "./requesters.js";

it("names the requester in the first row and where it changes, but not below the heading that names it", () => {
  const calls = new Map([
    ["a", { thread: "1", for: "ada" }],
    ["b", { thread: "2", for: "ada" }],
    ["c", { thread: "3", for: "bob" }],
    ["d", { thread: "4", for: "eve" }],
    ["e", { thread: "4", for: "eve" }],
    ["f", { thread: "5", for: "eve" }],
    ["g", { thread: "6", for: "ada" }],
  ]);
  const items = grouped([...calls.keys()], (id) => calls.get(id)?.thread ?? null);
  expect([...namedRows(items, (id) => calls.get(id)?.for)]).toEqual(["a", "c", "g"]);
});

it("is the person, else the agent", () => {
  expect(requesterOf({ requesterId: "ada", agentName: "support" })).toBe("ada");
  expect(requesterOf({ requesterId: null, agentName: "support" })).toBe("support");
  expect(requesterOf({ requesterId: null, agentName: null })).toBe("agent");
});
