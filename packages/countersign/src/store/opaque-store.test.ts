import { expectTypeOf, it } from "vitest";
import type { Store } from "../index.js";
import type { Store as StoreWithVerbs } from "./store.js";

// The compiler checks these, not the test run.
it("the public store shows only how to migrate and close it", () => {
  expectTypeOf<keyof Store>().toEqualTypeOf<"migrate" | "close" | "~countersign">();
  expectTypeOf<StoreWithVerbs>().toExtend<Store>();
});

it("an object with the same members does not pass for a store", () => {
  expectTypeOf<Pick<Store, "migrate" | "close">>().not.toExtend<Store>();
});
