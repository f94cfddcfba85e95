import { isDeepStrictEqual } from "node:util";
import * as rules from "@countersign/policy/internal/policy/rules/terms";
import { pick } from "@countersign/policy/internal/shared/pick";
import type { ApprovalTerms } from "./approval.js";

/** How long people have to decide, unless the host or a rule says otherwise. */
export const defaultTimeout = "30m";

/**
 * The default terms: one person approves or denies the call. Rows and digests omit terms that equal these defaults, so
 * never change a value: pending calls would have other terms, and no longer match their digests.
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

/**
 * The terms that differ from the defaults. When a later version adds terms, older rows get the defaults for them and
 * must keep their digest.
 */
export function nonDefaultTerms(terms: ApprovalTerms): Partial<ApprovalTerms> {
  const plain: Readonly<Record<string, unknown>> = { ...defaultTerms };
  return Object.fromEntries(
    Object.entries(terms).filter(([name, value]) => !isDeepStrictEqual(value, plain[name])),
  );
}

/** All terms of a row, which holds those that differ from the defaults. */
export function allTerms(stored: Partial<ApprovalTerms>): ApprovalTerms {
  return { ...defaultTerms, ...stored };
}
