import type { Approval, Risk } from "../api/approval.js";

const riskRank: Record<Risk, number> = { low: 0, medium: 1, high: 2, critical: 3 };

/** Least time left first, then most risk, then oldest: the order of the list. */
export function byUrgency(a: Approval, b: Approval): number {
  return (
    endOf(a) - endOf(b) ||
    riskRank[b.risk] - riskRank[a.risk] ||
    Date.parse(a.createdAt) - Date.parse(b.createdAt) ||
    Number(a.id > b.id) - Number(a.id < b.id)
  );
}

function endOf({ expiresAt }: Approval): number {
  // Far away, yet subtractable from another such without becoming NaN.
  return expiresAt === null ? Number.MAX_SAFE_INTEGER : Math.floor(Date.parse(expiresAt) / minute) * minute;
}

/** Ends within the same minute are alike, so that risk and not a second decides. */
const minute = 60_000;
