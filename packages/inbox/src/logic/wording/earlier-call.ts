import type { EarlierCall } from "../../api/approval.js";
import { agoText } from "./countdown.js";

/** Describes an earlier run of the same call. */
export function earlierCallText({ status, finishedAt }: EarlierCall, nowMs: number): string {
  const ago = finishedAt === null ? "" : ` ${agoText(Date.parse(finishedAt), nowMs)}`;
  switch (status) {
    case "executed":
      return `The same call ran${ago} in this conversation`;
    case "failed":
      return `The same call ran and failed${ago} in this conversation`;
    case "responded":
      return `A person answered the same call${ago} in this conversation`;
    case "executing":
      return "The same call is running in this conversation";
    case "interrupted":
      return `The same call was interrupted${ago} in this conversation and may have run`;
  }
}
