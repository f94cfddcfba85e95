import { durationMs, wrongOption } from "../auth/options.js";
import { deriveKey, deriveKeyId, secretBytes } from "../secret-key.js";

/** A secret of at least 32 bytes, and the name of its key; left out, the name is derived from the secret. */
export interface NamedSecret {
  id?: string;
  secret: string | Uint8Array;
}

/** What signs evidence: one secret, or the current one with those whose signatures still count. */
export type SigningKey =
  | string
  | Uint8Array
  | {
      current: NamedSecret;
      previous?: readonly NamedSecret[];
      /** How long a proof is good for after the last call of its request has run out of time; `"30d"` where left out. */
      ttl?: string;
    };

/** A key for HS256, as the token's header names it. */
export interface EvidenceKey {
  id: string;
  hmac: Uint8Array;
}

export interface EvidenceKeys {
  current: EvidenceKey;
  all: readonly EvidenceKey[];
  ttlMs: number;
}

const longestTtlMs = 365 * 86_400_000;

/**
 * The keys that an option names.
 *
 * @throws CountersignError `invalid_option`, naming the field and the fix, never a value.
 */
export function evidenceKeys(option: unknown): EvidenceKeys {
  if (typeof option === "string" || option instanceof Uint8Array) {
    const only = evidenceKey("signingKey", { secret: option }, "signingKey");
    return { current: only, all: [only], ttlMs: ttlOf(undefined) };
  }
  const { current, previous = [], ttl } = fieldsOf("signingKey", option, ["current", "previous", "ttl"]);
  if (!Array.isArray(previous)) throw wrongOption("signingKey.previous", "must be a list of { id, secret }");
  const newest = evidenceKey("signingKey.current", current);
  const all = [newest, ...previous.map((key, index) => evidenceKey(`signingKey.previous[${index}]`, key))];
  for (const [index, { id }] of all.entries()) {
    if (all.findIndex((other) => other.id === id) === index) continue;
    throw wrongOption(
      `signingKey.previous[${index - 1}].id`,
      "is the id of another key already; every key needs an id of its own",
    );
  }
  return { current: newest, all, ttlMs: ttlOf(ttl) };
}

function evidenceKey(name: string, named: unknown, secretName = `${name}.secret`): EvidenceKey {
  const { id, secret } = fieldsOf(name, named, ["id", "secret"]);
  const bytes = secretBytes(secretName, secret);
  if (id !== undefined && (typeof id !== "string" || id.trim() === "")) {
    throw wrongOption(`${name}.id`, "must be a text that is not empty, or be left out");
  }
  return { id: id ?? deriveKeyId(bytes, "evidence"), hmac: deriveKey(bytes, "evidence HS256", 32) };
}

function fieldsOf(name: string, value: unknown, known: readonly string[]): Record<string, unknown> {
  const fix = `must be an object with ${known.join(", ")}`;
  if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof Uint8Array) {
    throw wrongOption(name, name === "signingKey" ? `must be a secret of at least 32 bytes, or ${fix}` : fix);
  }
  if (Object.keys(value).some((field) => !known.includes(field))) {
    throw wrongOption(name, `has a field that is not known; it takes ${known.join(", ")}`);
  }
  return { ...value };
}

function ttlOf(text: unknown): number {
  const ms = durationMs("signingKey.ttl", text ?? "30d");
  if (ms > longestTtlMs)
    throw wrongOption("signingKey.ttl", 'must be at most a year; write for example "30d"');
  return Math.round(ms);
}
