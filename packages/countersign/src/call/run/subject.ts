import type { CompiledRule } from "@countersign/policy/internal/policy/rules/compiled-rule";

/** The tenant, people and place of a response. */
export interface Subject {
  tenantId: string;
  threadId: string | null;
  requester: { id: string; roles: readonly string[] } | null;
  /** For display only. */
  requesterName?: string | undefined;
  /** Rules of this thread alone. They can only tighten the policy. */
  threadRules: readonly CompiledRule[];
  /** The same rules as the host gave them, to be saved with a call. */
  threadRulesGiven: readonly unknown[];
}

/** The subjects of a run. */
export interface Subjects {
  /** The subject that the run's own context names, whatever started the run. */
  own: Subject;
  /** The same subject, with what it inherits from the run or call that started this one. */
  subject: Subject;
}
