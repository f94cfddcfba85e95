import { createHash, randomBytes } from "node:crypto";
import { encodeTime, monotonicFactory } from "ulid";

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const nextUlid = monotonicFactory();

/** A new id that sorts after every id made before it in this process. */
export function newUlid(now: number): string {
  return nextUlid(now);
}

/** A queue item's id: 64 random bits in base 36. */
export function newJobId(): string {
  return randomBytes(8).readBigUInt64BE().toString(36);
}

/** The queue item id as the SDK sees it in `ctx.qi_id` and sends it back in checkpoints. */
export function encodeQueueItemId(jobId: string): string {
  return Buffer.from(`${jobId}::default`).toString("base64");
}

/** The job id inside a `qi_id`, or undefined if it is not ours. */
export function decodeQueueItemId(queueItemId: string): string | undefined {
  const text = Buffer.from(queueItemId, "base64").toString("utf8");
  return text.endsWith("::default") ? text.slice(0, -"::default".length) : undefined;
}

/** A UUID derived from a name, so that it survives restarts without being stored. */
export function stableUuid(name: string): string {
  const hash = createHash("sha1").update(`local-engine:${name}`).digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/**
 * The id of the event at `index` of a batch sent with an `x-inngest-event-id-seed` header (`<ms>,<base64 of 10 bytes>`).
 * The same seed gives the same ids, which makes a batch that the SDK sends again harmless. Undefined when the header
 * has another form.
 */
export function seededEventId(seed: string, index: number): string | undefined {
  const [millis, entropyBase64] = seed.split(",");
  const time = Number(millis);
  const entropy = Buffer.from(entropyBase64 ?? "", "base64");
  if (!Number.isSafeInteger(time) || time < 0 || entropy.length !== 10) return undefined;
  // The server adds the position, counted from one, to the last four bytes.
  entropy.writeUInt32BE((entropy.readUInt32BE(6) + index + 1) >>> 0, 6);
  let bits = BigInt(`0x${entropy.toString("hex")}`);
  let text = "";
  for (let i = 0; i < 16; i++) {
    text = (CROCKFORD[Number(bits & 31n)] ?? "") + text;
    bits >>= 5n;
  }
  return encodeTime(time, 10) + text;
}
