import type { Principal } from "../shared/principal.js";

/** Variables of Hono's context in the API's handlers. */
export interface ApiEnv {
  Variables: { principal: Principal };
}
