import { isOpen } from "@countersign/policy/internal/shared/approval-status";
import type { Approval } from "../../approval/approval.js";
import { pendingApprovalOf } from "../../approval/pending-approval.js";
import type { Channel, Sent } from "../../channel/channel.js";
import type { Store } from "../../store/store.js";
import type { ApprovalHistory } from "./approval-history.js";
import { type HostHistory, isHostsMethod } from "./host-history.js";

/**
 * A host's own history as a channel, so that approvals reach it like any message: written with the transition, sent after
 * the commit, one attempt at a time, and repeated until it succeeds. Each attempt makes the call that the host lacks and
 * keeps in the reference what the host has. So a saved approval is not saved again, and the message about the end also
 * saves a call that the host could not save while it waited.
 */
export function historyChannel(store: Store, { channel, owner, history }: HostHistory): Channel {
  return {
    name: channel,
    mode: "events",
    events: [
      "approval.pending",
      "approval.extended",
      "approval.decided",
      "approval.expired",
      "approval.withdrawn",
    ],
    recipients: () => [{ id: channel, label: owner }],
    async send({ card: { tenantId, approvalId }, reference }): Promise<Sent> {
      const approval = await store.getApproval(tenantId, approvalId);
      const known = reference ?? {};
      if (!approval) return { ok: true, reference };
      const end = endOf(approval);
      const expiresAt = approval.expiresAt?.toISOString() ?? "never";
      if (
        isHostsMethod(history.savePendingApproval) &&
        (known.saved === undefined || (!end && known.saved !== expiresAt))
      ) {
        const pending = pendingApprovalOf(approval, "pending");
        await history.savePendingApproval?.({ ...pending, status: "pending", tenantId });
        // The end has an attempt of its own, which this one makes due.
        return { ok: true, reference: { ...known, saved: expiresAt }, ...(end && { againInMs: 0 }) };
      }
      if (!end || known.resolved === true || !isHostsMethod(history.resolvePendingApproval))
        return { ok: true, reference };
      await history.resolvePendingApproval?.({ approvalId, ...end, tenantId });
      return { ok: true, reference: { ...known, resolved: true } };
    },
  };
}

type End = Omit<
  Parameters<NonNullable<ApprovalHistory["resolvePendingApproval"]>>[0],
  "approvalId" | "tenantId"
>;

/** How people decided, or that nobody did in time. What happens to an approved call later is not part of it. */
function endOf({ status, decision, finishedAt, expiresAt, createdAt }: Approval): End | undefined {
  if (isOpen(status)) return undefined;
  if (!decision) return { status: "denied", resolvedAt: finishedAt ?? expiresAt ?? createdAt };
  const { type, decidedAt, decidedBy } = decision;
  return {
    status: type === "deny" ? "denied" : "approved",
    resolvedAt: decidedAt,
    ...(decidedBy !== null && { resolvedBy: decidedBy }),
  };
}
