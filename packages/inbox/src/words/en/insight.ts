import { countNumber } from "../locale.js";
import { counted } from "../plural.js";

/** Texts of how long approvals wait and what is always approved. */
export const insight = {
  title: "Insight",
  period: "Period",
  days: (days: string) => `${days} days`,
  loadFailed: {
    title: "The numbers could not be loaded",
    advice: "Nothing was changed. Try again in a moment.",
  },
  none: {
    title: (days: number) => `No call waited for people in the last ${days} days`,
    advice: "Choose a longer period, or come back when calls were decided.",
  },
  asked: (calls: number, days: number) =>
    `People were asked about ${counted(calls, "call", "calls")} in the last ${days} days.`,
  more: "These are the latest ones. Older calls of this time are not counted.",
  toolAndRules: "Tool and rules",
  medianWait: "Median wait",
  approved: "Approved",
  denied: "Denied",
  /** What a number of calls leads to, read after it. */
  inHistory: {
    approved: (tool: string) => `approved calls of ${tool}, in the history`,
    denied: (tool: string) => `denied calls of ${tool}, in the history`,
  },
  waits: {
    title: "How long calls wait",
    byRule: "By tool and rule, the longest wait first",
    within: "9 of 10 within",
    asked: "Asked",
    expired: "Expired",
    byApprover: "By approver, from the question to their decision",
    approver: "Approver",
    decisions: "Decisions",
    nobody: "Nobody has decided a call in this time.",
  },
  habits: {
    title: "What people decide",
    tooFew:
      "Not enough decisions yet. Calls appear here once at least 10 were decided and all approved, or at least 5 were decided and 30 % denied.",
    captions: { always_approved: "Approved every time", often_denied: "Denied often" },
    decided: "Decided",
    share: "Share",
  },
  rules: {
    title: "Rules that would follow",
    auditorsOnly: "Only auditors see suggested rules, because they contain conditions of the policy.",
    noPolicyFiles: "Rules are suggested for policy files. The rules here are in code.",
    basis: (learned: number, tested: number) =>
      `Learned from ${counted(learned, "decided call", "decided calls")}, and tested on ${counted(tested, "call", "calls")} since {time}. That people always decided in one way is no reason for a rule: ask them first. Nothing changes until you edit the policy file.`,
    none: "No rule follows yet. It takes at least 20 approved or 5 denied calls of a tool that have something in common which no other call has.",
    decidedAlike: {
      notify: (calls: number) => `{tool}: people approved all ${counted(calls, "call", "calls")} like this`,
      deny: (calls: number) => `{tool}: people denied all ${counted(calls, "call", "calls")} like this`,
    },
    effect: {
      notify: "With this change, such calls would run without a decision.",
      deny: "With this change, such calls would be denied at once.",
    },
    untested: "No later call has tested it.",
    tested: (calls: number) =>
      `${counted(calls, "later call was", "later calls were")} decided in the same way.`,
    latestCalls: (calls: number) => `The latest ${countNumber(calls)} of these calls:`,
    calls: "These calls:",
    addTo: (file: string) => `Add to ${file}:`,
    setIn: (file: string, rule: string) => `In ${file}, set this condition in the rule ${rule}:`,
    copyRule: (tool: string) => `Copy the new rule for ${tool}`,
    copyCondition: (rule: string) => `Copy the condition of ${rule}`,
    copy: "Copy",
    copied: "Copied",
    notCopied: "Not copied. Select the text and copy it.",
  },
};
