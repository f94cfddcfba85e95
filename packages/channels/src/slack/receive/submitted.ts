import type { ChannelGate } from "countersign/types";
import type { SlackSettings } from "../settings.js";
import { decideThrough } from "./decide.js";
import {
  type DenyMetadata,
  denyCallbackId,
  denyMetadataOf,
  reasonActionId,
  reasonBlockId,
} from "./deny-modal.js";
import type { ViewSubmission } from "./payloads.js";
import { personOf } from "./person.js";
import { repair } from "./repair.js";

/** The result of a submitted form: `refusal` says why the call was not denied, and is null if it was. */
export interface Submitted {
  metadata: DenyMetadata | null;
  refusal: string | null;
}

/** Denies the call with the reason from the form. */
export async function submitted(
  settings: SlackSettings,
  gate: ChannelGate,
  payload: ViewSubmission,
): Promise<Submitted> {
  const { view } = payload;
  if (view.callback_id !== denyCallbackId) return { metadata: null, refusal: null };
  const metadata = denyMetadataOf(view.private_metadata);
  if (metadata === null) return { metadata, refusal: "This form is not valid. Use the inbox." };
  const found = await personOf(settings, payload);
  if ("refused" in found) {
    const link = found.link && settings.linkUrl !== undefined ? ` Link it: ${settings.linkUrl}` : "";
    return { metadata, refusal: `${found.refused}${link}` };
  }
  const { approvalId, digest } = metadata;
  const reason = view.state.values[reasonBlockId]?.[reasonActionId]?.value?.trim();
  const decision = { principal: found.principal, approvalId, digest, decision: "deny" as const };
  const refusal = await decideThrough(settings, gate, reason ? { ...decision, reason } : decision);
  const message = { channel: metadata.channel ?? undefined, ts: metadata.ts ?? undefined };
  // The form must close within three seconds, and the update may take longer.
  settings.waitUntil(repair(settings, gate, found.principal, metadata, message));
  return { metadata, refusal };
}
