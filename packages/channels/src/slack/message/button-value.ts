import * as z from "zod";
import { limits } from "./blocks.js";

/** The call on which a button acts, and the digest of what its message showed. */
export interface ButtonTarget {
  approvalId: string;
  digest: string;
}

export const targetSchema = z.object({ approvalId: z.string().min(1), digest: z.string().min(1) });

/** `approvalId:digest`, or null if Slack could not carry it. */
export function buttonValue({ approvalId, digest }: ButtonTarget): string | null {
  const value = `${approvalId}:${digest}`;
  const back = targetOf(value);
  return value.length <= limits.buttonValue && back?.approvalId === approvalId && back.digest === digest
    ? value
    : null;
}

export function targetOf(value: string): ButtonTarget | null {
  const colon = value.indexOf(":");
  const parsed = targetSchema.safeParse({
    approvalId: value.slice(0, Math.max(colon, 0)),
    digest: value.slice(colon + 1),
  });
  return parsed.success ? parsed.data : null;
}
