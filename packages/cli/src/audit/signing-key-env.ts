import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { SigningKey } from "countersign";
import { createEvidenceReader, createEvidenceSigner, type EvidenceReader } from "countersign/evidence";
import type { EvidenceSigner } from "countersign/types";
import { UsageError } from "../cli-io.js";

/** Reads signatures with the keys in an environment variable. */
export function readerOfEnv(name: string | undefined): EvidenceReader | undefined {
  return withKeysOf(name, createEvidenceReader);
}

/** Signs with the current key in an environment variable. */
export function signerOfEnv(name: string | undefined): EvidenceSigner | undefined {
  return withKeysOf(name, createEvidenceSigner);
}

/** Keys come from the environment, since command lines are visible to other processes. */
function withKeysOf<T>(name: string | undefined, create: (keys: SigningKey) => T): T | undefined {
  if (name === undefined) return undefined;
  const text = process.env[name];
  if (!text) throw new UsageError(`--signing-key-env: the environment variable ${name} is not set`);
  try {
    return create(signingKeyIn(name, text));
  } catch (error) {
    if (CountersignError.isInstance(error)) throw new UsageError(`--signing-key-env: ${error.message}`);
    throw error;
  }
}

/** A secret, or the option `signingKey` as JSON, in which `{ "base64": "…" }` stands for a secret of bytes. */
function signingKeyIn(name: string, text: string): SigningKey {
  if (!text.trimStart().startsWith("{")) return text;
  try {
    // createEvidenceSigner checks the fields.
    return JSON.parse(text, (_field, value) =>
      typeof value?.base64 === "string" ? Buffer.from(value.base64, "base64") : value,
    );
  } catch {
    throw new UsageError(`--signing-key-env: the environment variable ${name} is not valid JSON`);
  }
}
