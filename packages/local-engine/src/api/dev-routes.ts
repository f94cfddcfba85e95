import { Hono } from "hono";
import type { Core } from "../core.js";

/** `GET /dev`: the registered functions, from which an app sees whether it must register again. */
export function devRoutes(core: Core): Hono {
  return new Hono().get("/dev", (c) =>
    c.json({
      functions: core.registry.functions().map(({ id, config }) => ({ name: config.name ?? id, slug: id })),
    }),
  );
}
