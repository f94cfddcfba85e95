import * as rules from "@countersign/policy/internal/policy/rules/terms";
import { pick } from "@countersign/policy/internal/shared/pick";
import type { ApprovalTerms } from "./approval.js";

/** How long people have to decide, unless the host or a rule says otherwise. */
export const defaultTimeout = "30m";

/**
 * The default terms: one person approves or denies the call. Digests omit terms that equal these defaults, so never
 * change a value: pending calls would no longer match their digests.
 */
export const defaultTerms: ApprovalTerms = {
  ...pick(rules.defaultTerms, [...rules.storedAlways, ...rules.storedWithTools]),
  codePreview: null,
  checks: [],
  preview: null,
  counts: [],
  countedIn: [],
  summaryParts: [],
  undoable: false,
  undoes: null,
};
