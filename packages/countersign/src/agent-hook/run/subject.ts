import type { CompiledRule } from "../../policy/rules/compiled-rule.js";

/** The tenant, people and place of a response. */
export interface Subject {
  tenantId: string;
  threadId: string | null;
  requester: { id: string; roles: readonly string[] } | null;
  /** Rules of this thread alone. They can only tighten the policy. */
  threadRules: readonly CompiledRule[];
  /** The same rules as the host gave them, to be saved with a call. */
  threadRulesGiven: readonly unknown[];
}

/** For whom a run works. */
export interface Subjects {
  /** As its own context says, whatever started it. */
  own: Subject;
  /** With what it inherits from the run or call that started it. */
  subject: Subject;
}
