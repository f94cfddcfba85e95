import { describe, expect, it } from "vitest";
import { habitOf } from "./habit-of.js";

const habit = (approved: number, denied: number, answered = 0) => habitOf({ approved, denied, answered });

describe("the habit of a rule", () => {
  it("is to approve if all of at least 10 decided calls were approved", () => {
    expect(habit(10, 0)).toBe("always_approved");
    expect(habit(9, 0)).toBeNull();
    expect(habit(1000, 1)).toBeNull();
    expect(habit(10, 0, 1)).toBeNull();
  });

  it("is to deny if 30 % of at least 5 decided calls were denied", () => {
    expect(habit(7, 3)).toBe("often_denied");
    expect(habit(71, 29)).toBeNull();
    expect(habit(0, 4)).toBeNull();
    expect(habit(0, 5)).toBe("often_denied");
    expect(habit(1, 2, 2)).toBe("often_denied");
    expect(habit(0, 0)).toBeNull();
  });
});
