import { createEvidenceSigner, type EvidenceSigner } from "../../evidence/evidence-signer.js";
import { CountersignError } from "../../shared/errors.js";
import { UsageError } from "../cli-io.js";

/** Creates a signer from the secret in an environment variable, since command lines are visible to other processes. */
export function signerOfEnv(name: string | undefined): EvidenceSigner | undefined {
  if (name === undefined) return undefined;
  const secret = process.env[name];
  if (!secret) throw new UsageError(`--signing-key-env: the environment variable ${name} is not set`);
  try {
    return createEvidenceSigner(secret);
  } catch (error) {
    if (CountersignError.isInstance(error)) throw new UsageError(`--signing-key-env: ${error.message}`);
    throw error;
  }
}
