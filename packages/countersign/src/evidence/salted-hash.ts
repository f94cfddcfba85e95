import { hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import type { Approval } from "../approval/approval.js";

/** The signed hash of a text, with the nonce, so that nobody can test guesses of the text against it. */
export function saltedHash({ nonce }: Pick<Approval, "nonce">, text: string): string {
  return hashCanonical({ nonce, text });
}
