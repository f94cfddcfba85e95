import type { Principal } from "../principal.js";

/** What the API's handlers find in Hono's context. */
export interface ApiEnv {
  Variables: { principal: Principal };
}
