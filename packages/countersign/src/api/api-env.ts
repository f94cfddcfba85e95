import type { Principal } from "@countersign/policy/internal/shared/principal";

/** Variables of Hono's context in the API's handlers. */
export interface ApiEnv {
  Variables: { principal: Principal };
}
