import type { Policy } from "@countersign/policy";
import { definePolicy } from "@countersign/policy/internal/policy/define-policy";
import { allow } from "@countersign/policy/internal/policy/rules/verdict";
import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import type { Logger } from "@countersign/policy/internal/shared/logger";
import { tellOnce } from "@countersign/policy/internal/shared/warn-once";
import type { Store } from "../store/opaque-store.js";
import type { CountersignOptions } from "./countersign.js";
import { developmentFolder, developmentStore } from "./development-store.js";

/** The options that may be absent, as an instance uses them. */
export interface Defaulted {
  store: Store;
  policy: Policy;
  /** There is no policy but the tools' own marks. */
  marksOnly: boolean;
}

/**
 * Fills in what an app need not say, and says so once.
 *
 * @throws CountersignError `invalid_option` in production without a store.
 */
export function withDefaults({ inngest, store, policy }: CountersignOptions, logger: Logger): Defaulted {
  if (!store && process.env.NODE_ENV === "production") {
    throw wrongOption(
      "store",
      "is missing; in production, pass store: postgresStore() from countersign/postgres, which reads DATABASE_URL, and migrate it with npx countersign migrate",
    );
  }
  const chosen = [
    !store && `No store: the data is in ${developmentFolder}. In production, pass store: postgresStore().`,
    !policy && "No policy: tools marked with needsApproval() wait for a person, and all others run.",
  ].filter((part) => part !== false);
  if (chosen.length > 0) tellOnce(logger, `defaults:${inngest.id}`, chosen.join(" "), {});
  return {
    store: store ?? developmentStore(),
    policy: policy ?? definePolicy({ tools: {}, default: allow() }),
    marksOnly: !policy,
  };
}
