import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import type { EvidenceSigner } from "./evidence-signer.js";

/** Not part of an instance's type: code that has an instance decides through it, and does not sign. */
const held = Symbol("countersign.signer");

/** Lets operating functions of other packages find what signs for an instance. */
export function holdSigner(instance: object, signer: EvidenceSigner | undefined): void {
  Object.assign(instance, { [held]: signer });
}

/** @throws CountersignError `invalid_option` for anything but an instance, as nothing then says whether it signs. */
export function signerOf(instance: { [held]?: EvidenceSigner | undefined }): EvidenceSigner | undefined {
  if (held in instance) return instance[held];
  throw wrongOption(
    "countersign",
    "must be an instance of createCountersign of the same copy of the package, or { store, signer }",
  );
}
