import type { ApprovalView } from "countersign/hono";

/** Fields that not every version of the API sends; what is missing is shown as if there were nothing. */
interface NewerFields {
  inputSchema: JsonSchema | null;
  distinctRoles: boolean;
  denials: number;
  votes: Vote[];
  stillNeeded: { approvals: number; roles: string[] };
  /** What the reader may decide about it now. */
  yourDecisions: DecisionType[];
  /** Whether the reader may decide it now. */
  mayDecide: boolean;
  assigneeId: string | null;
  delegable: boolean;
  viewers: { principalId: string; displayName: string | null; until: string }[];
  extensionsUsed: number;
  extensionsLeft: number;
  /** Names of patterns, or expressions, whose matches are hidden from the reader. */
  redactedPatterns: string[];
  flags: TextFlag[];
  flagsTruncated: boolean;
  grantSuggestions: GrantSuggestion[];
  grantId: string | null;
  duplicateOf: string | null;
  resolution: {
    outcome: ResolutionOutcome;
    resolvedBy: string;
    note: string | null;
    resolvedAt: string;
  } | null;
  handlerKind: string | null;
  announcedAt: string | null;
  outcome: unknown;
  context: ModelContext;
}

export type Approval = Omit<ApprovalView, keyof NewerFields> & Partial<NewerFields>;

export type ApprovalStatus = Approval["status"];
export type Risk = Approval["risk"];
export type DecisionType = ApprovalView["decisions"][number];
export type ResolutionOutcome = "done" | "failed" | "rerun";

export interface Vote {
  principalId: string;
  type?: "approve" | "deny";
  roles?: string[];
  votedAt: string;
}

/** A value whose letters may mislead: where it is, in which way, and the characters. */
export interface TextFlag {
  path: string;
  kind: string;
  characters?: string[];
  /** The word that mixes alphabets. */
  text?: string;
}

/** What an approver may allow from now on; `grant` goes back as it came. */
export interface GrantSuggestion {
  words: string;
  grant: unknown;
}

/** What the model wrote before the call. Its words, never facts. */
export interface ModelContext {
  agentSaid: string | null;
  messages: ContextMessage[];
}

export interface ContextMessage {
  role: string;
  content?: unknown;
  toolCalls?: { id: string; name: string; input: unknown }[];
}

/** As much of JSON Schema as the inbox reads. */
export interface JsonSchema {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  enumNames?: string[];
  format?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
}

export interface ApprovalPage {
  items: Approval[];
  nextCursor: string | null;
  serverTime?: string;
}

export interface Me {
  principal: { id: string; tenantId: string; roles: string[]; displayName?: string } | null;
  serverTime?: string;
  can?: { auditAll: boolean; seeEverything: boolean };
  signIn?: { url: string } | null;
}

/** Somebody to whom a call can be passed on. */
export interface Person {
  id: string;
  displayName?: string;
  roles?: string[];
}

export interface AuditEntry {
  position: number;
  tenantId: string;
  approvalId: string | null;
  type: string;
  actorId: string | null;
  at: string;
  data: Record<string, unknown>;
  prevHash: string;
  hash: string;
}

export interface Grant {
  id: string;
  scope: "thread" | "user" | "team";
  scopeId: string | null;
  toolName: string;
  arguments: "exact" | "any" | { when: string };
  /** Given for one more run of a call that was cut off. */
  rerun?: boolean;
  summary: string;
  approvalId: string;
  grantedBy: string;
  status: "live" | "expired" | "used_up" | "revoked";
  createdAt: string;
  expiresAt: string;
  usesLeft: number | null;
  usesTaken: number;
  revokedAt: string | null;
  revokedBy: string | null;
  mayRevoke: boolean;
}

export interface Preferences {
  theme: "system" | "light" | "dark";
  notifications: boolean;
  density: "comfortable" | "compact";
  denyReasons: string[];
}

/** What a dry run of an edit says. */
export type EditCheck =
  | { ok: true; changes: { field: string; from?: unknown; to?: unknown }[] }
  | { ok: false; errors: { field: string; message: string }[] };
