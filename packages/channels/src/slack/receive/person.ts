import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { nameOfThrown } from "@countersign/policy/internal/shared/name-of-thrown";
import {
  type VerifiedPrincipal,
  verifiedPrincipal,
  wrongPrincipal,
} from "@countersign/policy/internal/shared/principal";
import type { ChannelIdentity } from "countersign/types";
import type { SlackSettings } from "../settings.js";
import type { SlackPerson } from "./payloads.js";

/** The person who pressed the button, or a text for that person that says why they were not identified. */
export type Found = { principal: VerifiedPrincipal } | { refused: string; link: boolean };

/** The principal of a person whom Slack named in a signed request. */
export async function personOf(settings: SlackSettings, payload: SlackPerson): Promise<Found> {
  const { logger, name, teams, identify } = settings;
  const team = payload.user.team_id ?? payload.team?.id;
  if (team === undefined) return { refused: "Slack did not say which workspace you belong to.", link: false };
  if (teams !== null && !teams.has(team)) {
    logger.warn("a person of another Slack workspace tried to decide", { channel: name, team });
    return { refused: "People of your Slack workspace cannot decide here.", link: false };
  }
  const identity = identityOf(name, team, payload);
  try {
    const known = await identify(identity);
    if (known === null) {
      return { refused: "Your Slack account is not linked to an account that may decide here.", link: true };
    }
    const principal = verifiedPrincipal(known);
    if (!principal) throw wrongPrincipal("identify");
    return {
      principal: { ...principal, authenticatedBy: principal.authenticatedBy ?? `${name} ${identity.id}` },
    };
  } catch (error) {
    const said = CountersignError.isInstance(error) ? error.message : nameOfThrown(error);
    logger.error("identify failed for a person in Slack", { channel: name, error: said });
    return { refused: "Your account could not be looked up. Try again, or use the inbox.", link: false };
  }
}

function identityOf(channel: string, team: string, { user, enterprise }: SlackPerson): ChannelIdentity {
  return {
    channel,
    id: `${team}:${user.id}`,
    attributes: { team, user: user.id, ...(enterprise && { enterprise: enterprise.id }) },
  };
}
