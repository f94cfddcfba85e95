import type { Reply } from "@countersign/testing";

/** A tool call as the scripted model proposes it. */
export type ProposedCall = NonNullable<Reply["toolCalls"]>[number];
