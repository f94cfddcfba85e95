import type { Approval } from "countersign";
import type { StoreVerbs } from "countersign/internal";
import type { CallFilter } from "./options.js";
import type { Awaited, Until } from "./until.js";

const statusesShown = 20;

/** The calls that wait for a person, oldest first. */
export async function waitingCalls(store: StoreVerbs, filter: CallFilter): Promise<Approval[]> {
  return callsOf(store, filter, ["pending"]);
}

async function callsOf(
  store: StoreVerbs,
  { tenantId, threadId, runId }: CallFilter,
  statuses?: Approval["status"][],
): Promise<Approval[]> {
  const tenants = tenantId === undefined ? await store.auditedTenants() : [tenantId];
  const found = await Promise.all(
    tenants.map((tenant) =>
      store.listApprovals({
        tenantId: tenant,
        limit: 1000,
        ...(threadId !== undefined && { threadId }),
        ...(statuses && { statuses }),
      }),
    ),
  );
  return found
    .flat()
    .filter((call) => runId === undefined || call.runId === runId)
    .sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
}

interface CallsWait {
  count: number;
  until: Until;
  /** Returns a reason why there will be no more calls. */
  over?: () => Promise<string | undefined>;
  /** What was refused before anybody could be asked. */
  refused: () => Promise<string[]>;
}

/** Waits for at least `count` calls. Fails at once if `over` returns a reason why there will be no more. */
export async function untilCallsWait(
  store: StoreVerbs,
  filter: CallFilter,
  { count, until, over, refused }: CallsWait,
): Promise<Approval[]> {
  const awaited: Awaited = {
    what: `${count === 1 ? "a call waits" : `at least ${count} calls wait`} for a person${describeFilter(filter)}`,
    instead: async () => {
      const calls = await callsOf(store, filter);
      const statuses = calls
        .slice(0, statusesShown)
        .map(({ toolName, id, status }) => `${toolName} (${id}) is ${status}`);
      const found = [statuses.join(", ") || "no call is waiting for approval", ...(await refused())];
      return found.join("; ");
    },
  };
  return until(awaited, async () => {
    // `over` is called first. If a call waits when the run has ended, it is then still found.
    const end = await over?.();
    const waiting = await waitingCalls(store, filter);
    if (waiting.length >= count) return waiting;
    if (end !== undefined) {
      throw new Error(`Waited until ${awaited.what}, but ${end}: ${await awaited.instead?.()}`);
    }
    return undefined;
  });
}

function describeFilter({ threadId, runId, tenantId }: CallFilter): string {
  if (threadId !== undefined) return ` in thread "${threadId}"`;
  if (runId !== undefined) return ` in run ${runId}`;
  return tenantId === undefined ? "" : ` in tenant "${tenantId}"`;
}
