import { storableText } from "@countersign/policy/internal/shared/storable-text";
import type { ApprovalHistory } from "./approval-history.js";

/** A host's own history that stores approvals, and whose history it is. */
export interface HostHistory {
  /**
   * The name of its channel: `network-history/support`. No rule can name it, because names in rules have no slash. It is
   * the same in every process, so a process that knows the history later delivers what an earlier one could not.
   */
  readonly channel: string;
  /** The name of its network or agent. */
  readonly owner: string;
  readonly history: Pick<ApprovalHistory, "savePendingApproval" | "resolvePendingApproval">;
}

const methods = ["savePendingApproval", "resolvePendingApproval"] as const;

const ownMethods = new WeakSet<object>();

/**
 * Marks the methods of `countersign.history`, which has the approvals already. The mark is on the functions, so it
 * survives when hosts spread the history into an object of their own.
 */
export function markOwnHistory(history: object): void {
  for (const method of Object.values(history)) if (typeof method === "function") ownMethods.add(method);
}

/** The history of a network or agent, if the host wrote it and it stores approvals. */
export function hostHistoryOf(kind: "network" | "agent", subject: { name: string }): HostHistory | undefined {
  const history: unknown = Reflect.get(subject, "history");
  if (typeof history !== "object" || history === null) return undefined;
  const stores = methods.some((name) => isHostsMethod(Reflect.get(history, name)));
  if (!stores) return undefined;
  const owner = storableText(subject.name);
  const channel = `${kind}-history/${owner.replace(/[%:]/g, encodeURIComponent)}`;
  return { channel, owner, history };
}

export function isHostsMethod(method: unknown): boolean {
  return typeof method === "function" && !ownMethods.has(method);
}
