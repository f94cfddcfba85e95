import type { Hiding } from "@countersign/policy/internal/redaction/redact";

/** What a stream shows of a waiting call besides its arguments. Part of a step's output, so it holds no arguments. */
export interface ProposedCard extends Hiding {
  risk: string;
  reason: string | null;
  expiresAt: string;
}

/** A call that waits for a person. */
export interface WaitingCall {
  approvalId: string;
  toolCallId: string;
  toolName: string;
  input: unknown;
  digest: string;
  card: ProposedCard;
}

/** How a request for approval ended. */
export interface StreamedResolution {
  requestId: string;
  /** The ids of the calls that may run or have an answer. */
  approved: readonly string[];
  total: number;
  decided: { by: string; at: string; reason: string | null } | undefined;
}

/** A call of a response after its review. */
export interface ReviewedCall {
  id: string;
  toolName: string;
  /** The arguments that run. */
  input: unknown;
  /** The result of a call that does not run. */
  answer?: { content: unknown };
}

/** The stream of one run, in which Countersign shows calls before they wait. */
export interface RunStream {
  /** Shows calls that wait for a person. */
  announce(requestId: string, calls: readonly WaitingCall[]): Promise<void>;
  /** Shows how a request ended. */
  resolve(resolution: StreamedResolution): Promise<void>;
  /** Shows the outcomes of a response's calls. */
  settle(requestId: string, calls: readonly ReviewedCall[]): Promise<void>;
  /** The same stream for agents inside a tool: AgentKit streams nothing of their calls. */
  inside(): RunStream;
}
