import { didYouMean } from "../shared/did-you-mean.js";
import { CountersignError } from "../shared/errors.js";
import type { Policy } from "./policy.js";

/** @throws CountersignError `invalid_option` if the policy has no such profile. */
export function knownProfile(policy: Policy, profile: string | undefined): string | undefined {
  // A policy that could not be read refuses every call, and may have the profile once it is repaired.
  const unread = "status" in policy && policy.status === "refusing";
  if (profile === undefined || unread || policy.profiles.includes(profile)) return profile;
  throw new CountersignError(
    "invalid_option",
    `profile: the policy has no profile "${profile}"${didYouMean(profile, policy.profiles)}`,
  );
}
