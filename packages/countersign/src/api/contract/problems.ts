import type { CountersignErrorCode } from "@countersign/policy/internal/shared/errors";
import { type EndpointName, endpoints } from "../endpoints.js";
import { type Contract, contract } from "./contract.js";

type Codes = readonly CountersignErrorCode[];

const notPending = ["not_open", "expired", "already_decided", "withdrawn"] as const satisfies Codes;
const notDecided = [
  "forbidden",
  "self_approval",
  "decision_not_allowed",
  "wrong_place",
  "digest_mismatch",
  "digest_changed",
  "stopped",
  ...notPending,
] as const satisfies Codes;

/** Problems specific to one endpoint. `problemsOf` adds those caused by its query, body, id and authentication. */
const ownProblems: Partial<Record<EndpointName, Codes>> = {
  readiness: ["not_migrated", "database_failed"],
  decide: [
    ...notDecided,
    ...(["invalid_edit", "edit_not_allowed", "invalid_response"] as const),
    ...(["invalid_grant", "grant_not_allowed", "grant_limit"] as const),
  ],
  takeBack: ["forbidden", "too_late", ...notPending],
  assign: ["forbidden", "self_approval", ...notPending],
  setViewing: ["forbidden", "not_open"],
  snooze: ["forbidden", "invalid_snooze", ...notPending],
  extend: ["forbidden", "self_approval", "invalid_extension", "no_extension_left", ...notPending],
  resolve: ["forbidden", "self_approval", "not_interrupted", "already_resolved", "no_rerun"],
  undo: ["forbidden", "self_approval", "wrong_place", "digest_mismatch", "not_undoable", "stopped"],
  replayDelivery: ["forbidden"],
  revokeGrant: ["forbidden"],
  getThread: ["thread_not_found"],
  verifyAudit: ["auditors_only"],
  explainPolicy: ["auditors_only"],
  approveTool: ["digest_required", "not_found", ...notDecided],
  subscribeToPush: ["push_not_configured"],
  listStops: ["stops_not_allowed"],
  engageStop: ["stops_not_allowed", "stop_limit"],
  releaseStop: ["stops_not_allowed"],
};

/** Problems of every endpoint that authenticates the caller and reads the database. */
export const signedInProblems = [
  "unauthenticated",
  "too_many_requests",
  "not_migrated",
  "database_failed",
] as const satisfies Codes;

/** All problem codes that an endpoint can return, except `internal`. */
export function problemsOf(name: EndpointName): CountersignErrorCode[] {
  const { open, query, body }: Contract = contract[name];
  const found: CountersignErrorCode[] = [...(ownProblems[name] ?? [])];
  if (!open) found.push(...signedInProblems);
  if (endpoints[name].path.includes(":id")) found.push("not_found");
  if (query || body) found.push("invalid_request");
  if (body) found.push("unsupported_media_type", "too_large");
  return [...new Set(found)];
}
