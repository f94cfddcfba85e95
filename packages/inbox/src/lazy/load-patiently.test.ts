import { expect, it } from "vitest";
import { loadPatiently } from "./load-patiently.js";

it("loads again after a connection was lost, and gives up after a quarter of a minute", async () => {
  let waitedMs = 0;
  const wait = async (ms: number) => {
    waitedMs += ms;
  };
  const failing = (times: number) => async () => {
    if (times-- > 0) throw new Error("Failed to fetch");
    return "loaded";
  };
  expect(await loadPatiently(failing(3), wait)).toBe("loaded");
  expect(waitedMs).toBe(7_000);

  waitedMs = 0;
  await expect(loadPatiently(failing(5), wait)).rejects.toThrow("Failed to fetch");
  expect(waitedMs).toBe(15_000);
});
