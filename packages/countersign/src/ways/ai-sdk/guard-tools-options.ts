/** What the tools of the AI SDK cannot say themselves. */
export interface GuardToolsOptions<Name extends string = string> {
  /** Tools whose `execute` uses the run's step tools: it then runs in the function's body. @default none */
  durable?: readonly Name[];
  /** Tools that may safely run again after a crash in the middle. Their call's id is the key. @default none */
  idempotent?: readonly Name[];
  /**
   * `toolApproval` of `ai` 7: give it here and not to `generateText`, which would end the turn instead of waiting.
   * `user-approval` asks people and `denied` denies, where the policy is not stricter; `approved` loosens nothing. Its
   * functions get the arguments, the messages and the tool's context, and an empty `runtimeContext`.
   * @default each tool's own `needsApproval`, which also counts beside it
   */
  toolApproval?: unknown;
}
