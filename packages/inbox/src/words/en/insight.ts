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
    title: (days: number) => `Nothing waited for people in the last ${days} days`,
    advice: "Choose a longer period, or come back when something was decided.",
  },
  asked: (calls: number, days: number) =>
    `People were asked about ${counted(calls, "request", "requests")} in the last ${days} days.`,
  more: "These are the latest ones. Older ones of this time are not counted.",
  toolAndRules: "Tool and rules",
  medianWait: "Median wait",
  approved: "Approved",
  denied: "Denied",
  /** What a number leads to, read after it. */
  inHistory: {
    approved: (tool: string) => `approved requests of ${tool}, in the history`,
    denied: (tool: string) => `denied requests of ${tool}, in the history`,
  },
  waits: {
    title: "How long requests wait",
    byRule: "By tool and rule, the longest wait first",
    within: "90 % within",
    asked: "Asked",
    expired: "Expired",
    byApprover: "How fast each person decides",
    approver: "Approver",
    decisions: "Decisions",
    nobody: "Nobody has decided anything in this time.",
  },
  habits: {
    title: "What people decide",
    tooFew:
      "Not enough decisions yet. A tool appears here once at least 10 of its requests were decided and all approved, or at least 5 were decided and 30 % denied.",
    captions: { always_approved: "Approved every time", often_denied: "Denied often" },
    decided: "Decided",
    share: "Share",
  },
  rules: {
    /** Why there are none. */
    missing: {
      auditors_only: "Only auditors see suggested rules, because they contain conditions of the policy.",
      no_policy_files: "Rules are suggested for policy files. The rules here are in code.",
    },
    basis: (learned: number, tested: number) =>
      `Learned from ${counted(learned, "decision", "decisions")}, and tested on ${counted(tested, "later one", "later ones")}. That people always decided in one way is no reason for a rule: ask them first. Nothing changes until you edit the policy file.`,
    none: "Not enough decisions yet for a suggestion.",
    decidedAlike: {
      notify: (tool: string, calls: number) => `${tool}: people approved all ${countNumber(calls)} like this`,
      deny: (tool: string, calls: number) => `${tool}: people denied all ${countNumber(calls)} like this`,
    },
    effect: {
      notify: "With this change, they would run without a decision.",
      deny: "With this change, they would be denied at once.",
    },
    tested: (calls: number) =>
      calls === 0
        ? "No later decision has tested it."
        : `${counted(calls, "later decision agrees", "later decisions agree")} with it.`,
    latest: "The latest of them:",
    addTo: (file: string) => `Add to ${file}:`,
    setIn: (file: string, rule: string) => `In ${file}, set this condition in the rule ${rule}:`,
    copy: "Copy",
    copied: "Copied",
    notCopied: "Not copied. Select the text and copy it.",
  },
};
