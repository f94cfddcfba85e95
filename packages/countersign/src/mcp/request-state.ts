import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { hashCanonical } from "../shared/canonical-hash.js";

/** The owner of a request state. The state can only be opened for the same owner. */
export interface StateOwner {
  tenantId: string;
  runId: string;
  server: string;
  tool: string;
  argumentsJson: string;
  /** The questions of its round, as their rows hold them. */
  questions: readonly { approvalId: string; inputJson: string }[];
}

const algorithm = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts a server's `requestState`. The run keeps it in a step's output, where the engine, its dashboard and its logs
 * cannot read it. The text is restored exactly, even unpaired surrogates.
 *
 * @param secret The installation's secret, which only the database holds.
 */
export function sealState(secret: string, owner: StateOwner, state: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, keyOf(secret), iv).setAAD(nameOf(owner));
  const sealed = [cipher.update(Buffer.from(state, "utf16le")), cipher.final()];
  return Buffer.concat([iv, cipher.getAuthTag(), ...sealed]).toString("base64url");
}

/** The decrypted state; `undefined` if it was forged or belongs to another owner. */
export function openState(secret: string, owner: StateOwner, seal: string): string | undefined {
  const bytes = Buffer.from(seal, "base64url");
  if (bytes.length < ivBytes + tagBytes) return undefined;
  const decipher = createDecipheriv(algorithm, keyOf(secret), bytes.subarray(0, ivBytes))
    .setAAD(nameOf(owner))
    .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
  try {
    const opened = [decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()];
    return Buffer.concat(opened).toString("utf16le");
  } catch {
    return undefined;
  }
}

function keyOf(secret: string): Buffer {
  return createHmac("sha256", secret).update("countersign:mcp:request-state").digest();
}

function nameOf({ questions, argumentsJson, ...owner }: StateOwner): Buffer {
  return Buffer.from(
    hashCanonical({
      ...owner,
      arguments: JSON.parse(argumentsJson),
      questions: questions.map(({ approvalId, inputJson }) => [approvalId, JSON.parse(inputJson)]),
    }),
  );
}
