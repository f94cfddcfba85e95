import { storableText } from "@countersign/policy/internal/shared/storable-text";
import { type Refusal, stoppedRefusal } from "../approval/refusal-text.js";
import { coveringStop, type Stop } from "../stops/stop.js";
import type { GateRuntime } from "./gate.js";

/** A call that is about to be proposed or to start. */
export interface CallOfRun {
  tenantId: string;
  toolName: string;
  runId: string | null;
}

/** Records in the audit log that a call without a row was refused. */
export function noteRefusal(
  { store }: Pick<GateRuntime, "store">,
  { tenantId, toolName, runId }: CallOfRun,
  { code }: Pick<Refusal, "code">,
  more: { stopId?: string; approvalId?: string } = {},
): Promise<void> {
  const data = { toolName: storableText(toolName), code, runId, ...more };
  return store.recordNote({ tenantId, type: "call.refused", data });
}

/**
 * The refusal of a call that a stop covers, recorded in the audit log; `undefined` if no stop does.
 *
 * @param engaged @default the stops that are engaged now
 * @throws CountersignError `database_failed` if the stops cannot be read.
 */
export async function refusalUnderStop(
  gate: Pick<GateRuntime, "store">,
  call: CallOfRun,
  engaged?: readonly Stop[],
): Promise<Refusal | undefined> {
  const stop = coveringStop(engaged ?? (await gate.store.engagedStops()), call);
  if (!stop) return undefined;
  const refusal = stoppedRefusal(call.toolName);
  await noteRefusal(gate, call, refusal, { stopId: stop.id });
  return refusal;
}
