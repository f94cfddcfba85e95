import { counted } from "../plural.js";
import { facts } from "./detail-facts.js";
import { people } from "./detail-people.js";
import { records } from "./detail-records.js";

/** Which parts the line below a request's title has, apart from its tool. */
export interface OriginParts {
  server: boolean;
  agent: boolean;
  requester: boolean;
  isUndo: boolean;
}

/** Texts of the page of one request. */
export const detail = {
  facts,
  people,
  records,
  label: "Approval",
  back: "Back to list",
  missing: {
    title: "Approval not found",
    advice: "It does not exist, or you do not have access to it.",
    noAccess: "You do not have access to this approval",
  },
  print: "Print this",
  asksQuestion: (asker: string) => `${asker} asks a question`,
  origin: ({ server, agent, requester, isUndo }: OriginParts) =>
    [
      "{tool}",
      server ? " of the connected service {server}" : "",
      agent ? " by agent {agent}" : "",
      requester ? `, ${isUndo ? "of a request " : ""}for {requester}` : "",
    ].join(""),
  why: {
    /** `people`: how many, if more than one. `who`: their roles and names, if not anyone. */
    needs: (people: string | undefined, who: string | undefined, distinctRoles: boolean) => {
      const from = distinctRoles ? " from different roles" : "";
      if (who === undefined)
        return people === undefined ? "Anyone signed in can approve." : `Needs ${people}${from}.`;
      return people === undefined ? `Needs ${who}.` : `Needs ${people}${from}: ${who}.`;
    },
    notRequester: "Whoever asked cannot approve.",
    notified: "It runs without asking.",
  },
  titles: {
    answer: "Your answer",
    result: "Your result",
    question: "About this question",
    pending: "What will happen",
    toDo: "What to do",
    closed: "What was requested",
    trail: "Audit trail",
  },
  viewCall: "View it",
  undoes: {
    title: "Undoes an earlier request",
    askedBy: (who: string) => `Undoes an earlier request, as ${who} asked`,
    call: "That request: {call}",
  },
  question: {
    asks: (asker: string) => `${asker} asks`,
    byServer: "Written by a connected service, nobody has checked it. Never answer with a password.",
    byModel: "Written by the AI, nobody has checked it. Never answer with a password.",
  },
  address: {
    advice: "Open it only if you know this domain and expected the question.",
    warnings: "Warnings about this address",
    whole: "Whole address",
    open: (host: string) => `Open ${host}`,
    inNewTab: "(in a new tab)",
  },
  conversation: {
    title: "What the agent said",
    notVerified: "Written by the AI, nobody has checked it",
    conversationNotVerified: "Written by the user and the AI, nobody has checked it",
    fold: (count: number) => `Conversation (${counted(count, "message", "messages")})`,
    roles: { user: "user", assistant: "assistant", tool: "tool" },
  },
  outcome: {
    title: "Outcome",
    reason: "Reason",
    changes: "Changes",
    started: "Started",
    result: "Tool result",
    rawResult: "Raw result",
    answer: "Answer",
  },
  terms: {
    whyAsked: "Why a person is asked",
    rules: "Rules",
    rule: "Rule {rule}",
    budget: "Budget",
    whoAnswers: "Who can answer",
    /** The approvers of what anyone may decide. */
    anyone: "Anyone signed in",
    whoGetsAnswer: "Who gets the answer",
    howItRuns: "How it runs",
    manualForYou: "You do this yourself, then write what came of it.",
    manual: "A person does this, then writes what came of it.",
    votes: "Votes",
    undo: "Undo",
    duplicate: "Duplicate",
    oneDecision: "The same request is already waiting. One decision covers both.",
  },
  adds: {
    people: (count: number) => `${["no", "one", "two", "three", "four", "five"][count] ?? count} people`,
    distinctRoles: "from different roles",
    notRequester: "whoever asked cannot approve",
    within: (time: string) => `within ${time}`,
    anyone: "Anyone signed in",
    or: (names: string, last: string) => `${names} or ${last}`,
  },
  interrupted: {
    title: "We do not know whether this ran",
    resolved: {
      done: "Interrupted; a person confirmed that it ran",
      failed: "Interrupted; a person confirmed that it did not run",
      rerun: "Interrupted; a person allowed one more run",
    },
    happened: (startedAt: string | undefined) =>
      `It was approved and started${startedAt === undefined ? "" : ` at ${startedAt}`}, but its process stopped before the result arrived. It was not started again.`,
    advice:
      "Check the system that it acts on, then record what you found. The agent was told that the outcome is uncertain.",
    note: "What you found",
    optional: "· optional",
    saving: "Saving what you found",
    outcomes: {
      done: { verb: "It ran", means: "It took effect. Nothing needs to run again." },
      failed: { verb: "It did not run", means: "It had no effect, and it should stay that way." },
      rerun: { verb: "Run it again", means: "It had no effect. It can run once more." },
    },
  },
};
