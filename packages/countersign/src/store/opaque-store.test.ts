import { expectTypeOf, it } from "vitest";
import type { Store } from "../index.js";
import type { Store as StoreWithVerbs } from "./store.js";

// The compiler checks these types, not the test run.
it("the public type of a store has only the methods migrate and close", () => {
  expectTypeOf<keyof Store>().toEqualTypeOf<"migrate" | "close" | "~countersign">();
  expectTypeOf<StoreWithVerbs>().toExtend<Store>();
});

it("an object with the same methods is not assignable to a store", () => {
  expectTypeOf<Pick<Store, "migrate" | "close">>().not.toExtend<Store>();
});
