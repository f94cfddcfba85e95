import { hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import { openSeal, type SealContext, sealText } from "@countersign/policy/internal/shared/sealed-text";

/** The owner of a request state. The state can only be opened for the same owner. */
export interface StateOwner {
  tenantId: string;
  runId: string;
  server: string;
  tool: string;
  argumentsJson: string;
  /** The questions of its round, as their rows hold them. */
  questions: readonly { approvalId: string; inputJson: string }[];
}

/**
 * Encrypts a server's `requestState`. The run keeps it in a step's output, where the engine, its dashboard and its logs
 * cannot read it.
 */
export function sealState(secret: string, owner: StateOwner, state: string): string {
  return sealText(secret, contextOf(owner), state);
}

/** The decrypted state; `undefined` if it was forged or belongs to another owner. */
export function openState(secret: string, owner: StateOwner, seal: string): string | undefined {
  return openSeal(secret, contextOf(owner), seal);
}

function contextOf({ questions, argumentsJson, ...owner }: StateOwner): SealContext {
  return {
    purpose: "countersign:mcp:request-state",
    owner: hashCanonical({
      ...owner,
      arguments: JSON.parse(argumentsJson),
      questions: questions.map(({ approvalId, inputJson }) => [approvalId, JSON.parse(inputJson)]),
    }),
  };
}
