import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it('the built entry point begins with "use client", for bundlers of server components', () => {
  const built = readFileSync(new URL("../dist/index.js", import.meta.url), "utf8");
  expect(built.startsWith('"use client";')).toBe(true);
});
