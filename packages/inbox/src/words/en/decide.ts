import { englishKind } from "@countersign/policy/internal/display/english-kind";
import { countNumber } from "../locale.js";
import { counted } from "../plural.js";
import { capital, type KindOfCall, kindOf } from "./kind.js";

/** Texts of the decision bar, the answers to questions and the edits of arguments. */
export const decide = {
  copy: "Copy",
  next: "Next",
  save: "Save",
  show: "Show",
  takeBack: "Take back",
  soon: "Available in a moment",
  optional: "optional",

  approve: {
    title: "Approve",
    /** By the label of the rules: "Approve refund" for "Refund", "Approve: Pay supplier" for more than one word. */
    labelled: (label: string) =>
      /^\p{Lu}?\p{Ll}+$/u.test(label) ? `Approve ${label.toLowerCase()}` : `Approve: ${label}`,
    /** What a tool makes: "Approve refund" for `issue_refund`. */
    thing: (thing: string) => `Approve ${thing}`,
    /** What a tool does: "Approve: delete user" for `delete_user`. */
    action: (action: string) => `Approve: ${action}`,
    undo: "Approve undo",
    withChanges: (count: number) => `Approve with ${counted(count, "change", "changes")}`,
    anyway: "Approve anyway",
    /** `time` is one of the times of a budget, if it has an end. */
    andAllow: (time: string | undefined) => `Approve and allow${time === undefined ? "" : ` for ${time}`}`,
    withBudget: "Approve and give budget",
    revocable: "You can revoke this at any time under Standing permissions.",
    unreviewed: "You have not reviewed everything:",
    type: "Type {text} to approve",
    /** While the button fills. */
    holdOn: "Hold on …",
    typeFirst: "Type the text to confirm",
    again: "Press again to approve",
    notYet: "Not approved yet",
    forAWhile: "Allow again without asking",
    andFromNowOn: "Approve this, and from now on",
    budgetFor: (call: KindOfCall) => `${capital(kindOf(call, 2))} within a budget …`,
  },

  blocked: {
    offline: "Cannot reach the server. You can decide once it responds again.",
    sending: "Sending your decision",
    problems: "Fix the marked fields first",
    checking: "Checking your changes",
  },

  deny: {
    title: "Deny",
    /** After a vote to approve. */
    instead: "Change to deny",
    reason: "Reason",
    note: "optional, the agent reads it",
    preset: "Preset reasons",
    presets: ["Not what was requested", "Wrong details", "No longer needed", "I will do it myself"],
    edit: "Edit reasons",
    reasonsTitle: "Denial reasons",
    reasons: "Reasons",
    reasonsNote: "one per line; leave empty to restore the defaults",
    tooLong: (quoted: string, max: number) => `${quoted} is longer than ${countNumber(max)} characters.`,
    tooMany: (count: number, max: number) =>
      `${countNumber(count)} reasons are too many. The limit is ${countNumber(max)}.`,
    unsent: "Your reason was not sent: {reason}",
  },

  /** What a suggested permission would allow. */
  suggested: {
    exact: ({ label }: KindOfCall) => `This same ${englishKind(label)}`,
    /** `same` is empty, or names the other arguments. */
    upTo: (call: KindOfCall, argument: string, limit: string, same: string) =>
      `${capital(kindOf(call, 2))} with ${argument} up to ${limit}${same && ` and the same ${same}`}`,
    whoeverAsks: (requester: string) => `whoever asks for ${requester}`,
  },

  answer: {
    title: "Your answer",
    given: "Answer",
    decline: "Decline to answer",
    declineNote: "The agent goes on without an answer.",
    declined: "Declined to answer",
    confirmed: "Confirmed",
    send: "Send answer",
    result: "Result",
    resultNote: "The agent reads this as what happened.",
    enterResult: "Enter result",
    sendResult: "Send result",
    choose: "Choose one",
    required: "Required",
    atLeastCharacters: (count: number) => `Enter at least ${countNumber(count)} characters`,
    atMostCharacters: (count: number) => `Enter at most ${countNumber(count)} characters`,
    email: "Enter an email address, such as name@example.com",
    url: "Enter a full URL, such as https://example.com",
    wholeNumber: "Enter a whole number",
    atLeast: (number: string) => `Must be at least ${number}`,
    atMost: (number: string) => `Must be at most ${number}`,
  },

  address: {
    open: (host: string) => `Open ${host} above first. Then confirm it here.`,
    opened: (host: string) => `You opened ${host}. Do there what it asks, then confirm it here.`,
    openFirst: "Open the address first",
    confirm: "I have opened it",
    otherAlphabets:
      "This domain has letters of other alphabets, written here as “xn--”. It can imitate a domain that you know.",
    notTheDomain: (host: string) =>
      `What stands before the “@” is not the domain. The page belongs to ${host}.`,
    numeric: "This is a number in place of a domain. It does not say whose page it is.",
    notEncrypted: "This connection is not encrypted. Others can read what you enter there.",
  },

  /** Why the reader cannot decide, or what happened while they read. */
  status: {
    offline: "Cannot reach the server",
    offlineNote: "What you typed is kept. You can decide once the server responds again.",
    /** `runs`: it was approved. */
    ownHeld: (runs: boolean): string =>
      runs ? "It runs in a few seconds." : "It takes effect in a few seconds.",
    otherHeld: "They may take it back for a few seconds.",
    heldOver: "It can no longer be taken back. It takes effect when the engine is back.",
    votedToApprove: "You approved",
    votedToDeny: "You voted to deny",
    requested: "You requested this",
    requestedNote: "The outcome will appear here.",
    othersDecide: "Someone else decides this",
    othersDecideNote: "You can view this, but you are not one of its approvers.",
    requestedYourself: "You requested this yourself",
    requestedYourselfNote: "Someone else must approve this. You can still deny it.",
    startsOnce: (others: number) =>
      others === 1
        ? "It waits for 1 other of the same reply to be decided"
        : `It waits for ${countNumber(others)} others of the same reply to be decided`,
    viewNext: "View the next of them",
    viewUndo: "View undo",
    expired: "This expired while you were reading",
    withdrawn: "This was withdrawn while you were reading",
    decided: "Already decided",
    decidedBy: (who: string) => `Already decided by ${who}`,
    changesNotApplied: "Your changes were not applied:",
  },

  toasts: {
    title: "Your latest decisions",
    takesEffect: (duration: string) => `Takes effect in ${duration}`,
    takeAllBack: "Take all back",
    undo: "Undo",
    view: "View",
  },

  undo: {
    title: "Undo",
    call: "Undo: {call}",
    run: "Undo this",
    reason: "Reason",
    reasonNote: "optional, for the audit log and those who approve the undo",
    reasonKept: "Your reason is still in the field.",
    offline: "Cannot reach the server. You can undo this once it responds again.",
    sending: "Sending your request",
    alreadyRequested: "Its undo has been requested by now.",
    timeOver: "The time to undo this is over.",
    impossible: "You can no longer undo this.",
  },

  /** Why something cannot be approved together with others. */
  obstacle: {
    not_opened: "Open it first",
    too_brief: "Open it again: you saw it only briefly",
    critical: "Critical: approve it on its own",
    check_failed: "A safety check failed: approve it on its own",
    no_preview: "Its effects are unknown: approve it on its own",
    changed: "You have changed it: approve it on its own",
    not_yours: "Someone else must decide",
    closed: "No longer pending",
    stopped: "Stopped by an operator",
    not_offered: "Cannot be approved",
  },
  reviewAgain: (left: string) => `Review again: ${left}`,
  decidedThis: (who: string) => `${who} already decided this`,

  card: {
    asks: (asker: string) => `${asker} asks a question`,
    facts: "{tool}, for {requester}",
    factsOfUndo: "{tool}, of a request for {requester}",
    hidden: "Some values are hidden from you",
    hiddenNote: "Open it in the inbox to approve it, or deny it here.",
    openInInbox: "Open in the inbox",
  },
};
