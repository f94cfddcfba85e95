import { expect, it } from "vitest";
import { createUntil } from "./until.js";

/** Looks that each occupy the process for as long as the patience, and find something at the `last` one. */
function busyLooks(last: number) {
  let looks = 0;
  return async () => {
    looks += 1;
    for (const end = performance.now() + 310; performance.now() < end; );
    return looks === last ? looks : undefined;
  };
}

it.each([
  { last: 4, finds: true },
  { last: 5, finds: false },
])(
  "looks at least a third as often as it would in a quiet process: finds it at look $last: $finds",
  async ({ last, finds }) => {
    // Ten looks of 30 ms.
    const found = createUntil(300)({ what: "it is there" }, busyLooks(last));
    if (finds) expect(await found).toBe(last);
    else
      await expect(found).rejects.toThrow(
        "Timed out after 0.3 s (the option patience) waiting until it is there",
      );
  },
);
