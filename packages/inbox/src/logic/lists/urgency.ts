import type { Approval, Risk } from "../../api/approval.js";

const riskRank: Record<Risk, number> = { low: 0, medium: 1, high: 2, critical: 3 };

/** Sorts by time left, then by risk, then by age. */
export function byUrgency(a: Approval, b: Approval): number {
  return (
    endOf(a) - endOf(b) ||
    riskRank[b.risk] - riskRank[a.risk] ||
    Date.parse(a.createdAt) - Date.parse(b.createdAt) ||
    Number(a.id > b.id) - Number(a.id < b.id)
  );
}

function endOf({ expiresAt }: Approval): number {
  // Not Infinity: the difference of two would be NaN.
  return expiresAt === null ? Number.MAX_SAFE_INTEGER : Math.floor(Date.parse(expiresAt) / minute) * minute;
}

/** Times within the same minute are equal, so that risk decides. */
const minute = 60_000;
