export interface Limit {
  share: number;
  least: number;
}

export function growthOf(
  samples: readonly number[],
  limit: Limit,
): { level: number; growth: number; allowed: number; grows: boolean };
