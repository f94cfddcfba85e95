import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { hashCanonical } from "../shared/canonical-hash.js";

/** What a request state belongs to. It opens for nothing else. */
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
 * Seals a server's `requestState` for the run, which keeps it in a step's output: the engine, its dashboard and its logs
 * see none of it. The text stays byte-exact, unpaired surrogates included.
 *
 * @param secret The installation's secret, which only the database holds.
 */
export function sealState(secret: string, owner: StateOwner, state: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, keyOf(secret), iv).setAAD(nameOf(owner));
  const sealed = [cipher.update(Buffer.from(state, "utf16le")), cipher.final()];
  return Buffer.concat([iv, cipher.getAuthTag(), ...sealed]).toString("base64url");
}

/** The state, or `undefined` if the seal is forged or belongs to something else. */
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
