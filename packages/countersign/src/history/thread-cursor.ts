import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { openSeal, type SealContext, sealText } from "@countersign/policy/internal/shared/sealed-text";
import type { Thread, ThreadPlace } from "../store/ports/thread-port.js";
import type { Store } from "../store/store.js";

type SecretStore = Pick<Store, "nameSecret">;

/** As many digits for every number, because a seal shows the length of its text. */
const seqDigits = String(Number.MAX_SAFE_INTEGER).length;

/**
 * Names a place in a thread for people. It is encrypted, because places are numbered across all tenants, and their
 * difference would tell how many messages other tenants wrote in between.
 */
export async function cursorOf(
  store: SecretStore,
  thread: Thread,
  { at, seq }: ThreadPlace,
): Promise<string> {
  const place = `${String(seq).padStart(seqDigits, "0")} ${at.toISOString()}`;
  return sealText(await store.nameSecret(), contextOf(thread), place);
}

/** @throws CountersignError `invalid_request` unless it is a cursor of this thread. */
export async function placeOf(store: SecretStore, thread: Thread, cursor: string): Promise<ThreadPlace> {
  const place = openSeal(await store.nameSecret(), contextOf(thread), cursor);
  if (place !== undefined) {
    return { seq: Number(place.slice(0, seqDigits)), at: new Date(place.slice(seqDigits + 1)) };
  }
  const message = "is not a cursor of this thread; request the first page without it";
  throw new CountersignError("invalid_request", `cursor: ${message}`, {
    detail: { errors: [{ field: "cursor", message }] },
  });
}

function contextOf({ tenantId, id }: Thread): SealContext {
  return { purpose: "countersign:thread:cursor", owner: JSON.stringify([tenantId, id]) };
}
