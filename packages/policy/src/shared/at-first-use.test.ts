import { describe, expect, it } from "vitest";
import { atFirstUse } from "./at-first-use.js";

describe("atFirstUse", () => {
  it("makes one thing for all who ask, when the first one asks", async () => {
    let made = 0;
    const use = atFirstUse(async () => ++made);
    expect(made).toBe(0);
    expect(await Promise.all([use(), use()])).toEqual([1, 1]);
    expect(await use()).toBe(1);
  });

  it("tries again after a failure", async () => {
    const answers = [() => Promise.reject(new Error("no file")), () => Promise.resolve("here")];
    const use = atFirstUse<string>(() => answers.shift()?.() ?? Promise.resolve("late"));
    await expect(use()).rejects.toThrow("no file");
    expect(await use()).toBe("here");
  });
});
