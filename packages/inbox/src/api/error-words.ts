import { ApiError, Unreachable } from "./api-error.js";

/** What happened, what was not lost, and what to do, for people. */
export interface ErrorWords {
  title: string;
  advice: string;
}

const wordsByCode: Record<string, ErrorWords> = {
  unauthenticated: { title: "You are signed out", advice: "Sign in again; what you typed is kept." },
  forbidden: { title: "You may not decide this", advice: "Somebody else has to; nothing was decided." },
  self_approval: {
    title: "You asked for this yourself",
    advice: "Its rule wants somebody else to approve it. You may still deny it.",
  },
  not_found: {
    title: "There is nothing here for you",
    advice: "It does not exist, or you may not see it.",
  },
  not_open: { title: "This is not open yet", advice: "Wait a moment and try again; nothing was decided." },
  digest_mismatch: {
    title: "This is not what you were shown",
    advice: "Nothing was decided. Load it again and look once more.",
  },
  withdrawn: { title: "This was withdrawn", advice: "The agent no longer waits for it. Nothing ran." },
  expired: { title: "The time ran out", advice: "Nothing ran. The agent may ask again." },
  decision_not_allowed: {
    title: "This cannot be decided in that way",
    advice: "Nothing was decided. Choose one of the other answers.",
  },
  edit_not_allowed: {
    title: "These changes need somebody else",
    advice: "Nothing was decided, and your changes are kept. Make smaller ones, or deny.",
  },
  invalid_edit: {
    title: "These changes cannot be used",
    advice: "Nothing was decided, and your changes are kept. See the fields that are marked.",
  },
  grant_not_allowed: {
    title: "This cannot be allowed from now on",
    advice: "Nothing was decided. You may still approve this one.",
  },
  grant_limit: {
    title: "Too much is allowed for the future already",
    advice: "Nothing was decided. Take back what is no longer needed, or approve this one only.",
  },
  too_many_requests: { title: "That was too much at once", advice: "Wait a moment and try again." },
  invalid_extension: {
    title: "That is too much time",
    advice: "Choose a shorter time; nothing has changed.",
  },
  no_extension_left: {
    title: "It cannot be given more time",
    advice: "Its time was lengthened as often as its rule allows.",
  },
  not_interrupted: { title: "This was not cut off", advice: "There is nothing to find out about it." },
  already_resolved: {
    title: "Somebody has said what became of it",
    advice: "Load it again to see what they found.",
  },
  no_rerun: {
    title: "It cannot run again by itself",
    advice: "Say whether it was done; the agent may then ask anew.",
  },
  invalid_response: {
    title: "This answer does not fit the question",
    advice: "Nothing was sent on, and your answer is kept.",
  },
  database_failed: {
    title: "The server had trouble keeping this",
    advice: "Nothing you typed is lost. Try again in a moment.",
  },
};

/** Any failure in plain words. */
export function errorWords(error: unknown): ErrorWords {
  if (error instanceof Unreachable) {
    return {
      title: "The server did not answer",
      advice: "What you typed is kept. Trying again is safe: a decision counts once.",
    };
  }
  if (!(error instanceof ApiError)) {
    return { title: "Something went wrong here", advice: "Load the page again; nothing was decided." };
  }
  if (error.code === "already_decided") return alreadyDecided(error);
  const known = wordsByCode[error.code];
  if (known) return known;
  return {
    title: error.problem.title,
    advice: `${error.problem.detail} What you typed is kept.`,
  };
}

function alreadyDecided({ problem }: ApiError): ErrorWords {
  const by = decider(problem);
  return {
    title: by ? `${by} decided this already` : "Somebody decided this already",
    advice: "Your decision was not counted; what you typed is kept.",
  };
}

function decider(problem: ApiError["problem"]): string | undefined {
  const by = problem.decision?.decidedBy ?? problem.decidedBy;
  return typeof by === "string" ? by : undefined;
}
