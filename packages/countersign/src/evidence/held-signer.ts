import type { EvidenceSigner } from "./evidence-signer.js";

/** Not part of an instance's type: code that has an instance decides through it, and does not sign. */
const held = Symbol("countersign.signer");

/** Lets operating functions of other packages find what signs for an instance. */
export function holdSigner(instance: object, signer: EvidenceSigner | undefined): void {
  Object.assign(instance, { [held]: signer });
}

export function signerOf(instance: { [held]?: EvidenceSigner | undefined }): EvidenceSigner | undefined {
  return instance[held];
}
