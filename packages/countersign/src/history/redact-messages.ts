import { type Hiding, hiddenTexts, redact } from "@countersign/policy/internal/redaction/redact";
import { escapedPattern } from "@countersign/policy/internal/redaction/redact-patterns";
import { isPlainObject } from "@countersign/policy/internal/shared/plain-object";
import { storableText } from "@countersign/policy/internal/shared/storable-text";
import type { Approval } from "../approval/approval.js";
import { hidingFor, withPatterns } from "../approval/visible-arguments.js";
import type { HiddenInThread } from "../store/ports/thread-port.js";

/** The calls of the messages, and what all calls of their thread redact. */
export interface ThreadCalls {
  calls: readonly Approval[];
  ofThread: HiddenInThread;
}

/**
 * Redacts in a thread's messages what its approvals and the instance redact: a call's fields by their paths, their
 * values wherever the call's result or any message repeats them, and the matches of patterns.
 */
export function messageRedaction(
  { calls: approvals, ofThread }: ThreadCalls,
  patterns: readonly string[],
  { seesEverything }: { seesEverything: boolean },
) {
  const audience = { sink: "inbox", seesEverything } as const;
  const byToolCall = new Map<string, Approval[]>();
  for (const approval of approvals) {
    const others = byToolCall.get(approval.toolCallId);
    if (others) others.push(approval);
    else byToolCall.set(approval.toolCallId, [approval]);
  }
  const callsOf = (toolCallId: string) => byToolCall.get(storableText(toolCallId)) ?? [];
  const hidingOf = (calls: readonly Approval[]): Hiding =>
    hidingFor(
      {
        redact: calls.flatMap(({ terms }) => terms.redact),
        redactPatterns: withPatterns(
          patterns,
          calls.flatMap(({ terms }) => terms.redactPatterns),
        ),
      },
      audience,
    );
  let ofWords: Hiding | undefined;
  const hidingOfWords = (): Hiding => {
    const all = withPatterns(patterns, ofThread.redactPatterns);
    const { redactPatterns } = hidingFor({ redact: [], redactPatterns: all }, audience);
    const repeated = seesEverything ? [] : ofThread.calls.flatMap(hiddenTextsOf);
    return { redact: [], redactPatterns: withPatterns(redactPatterns, repeated) };
  };
  return {
    input: (toolCallId: string, input: unknown) => redact(input, hidingOf(callsOf(toolCallId))),
    result(toolCallId: string, content: unknown) {
      const calls = callsOf(toolCallId);
      const hiding = hidingOf(calls);
      const repeated = seesEverything ? [] : calls.flatMap((call) => hiddenTextsOf(hiddenOf(call)));
      // The model's note about an edit quotes the changed fields, perhaps only the beginning of a value.
      const quotes = hiding.redact.length > 0 && calls.some(({ edited }) => edited !== null);
      const note = quotes && isPlainObject(content) && "note" in content ? ["note"] : [];
      return redact(content, { redact: note, redactPatterns: withPatterns(hiding.redactPatterns, repeated) });
    },
    /** Text that the user wrote, or the model between its calls. */
    words(text: string): string {
      ofWords ??= hidingOfWords();
      return String(redact(text, ofWords));
    },
  };
}

export type MessageRedaction = ReturnType<typeof messageRedaction>;

/** The redacted values of one call, as expressions that match them. */
function hiddenTextsOf({
  redact: paths,
  inputJson,
  editedInputJson,
}: HiddenInThread["calls"][number]): string[] {
  if (paths.length === 0) return [];
  return [inputJson, ...(editedInputJson === null ? [] : [editedInputJson])]
    .flatMap((json) => hiddenTexts(JSON.parse(json), paths))
    .map(escapedPattern);
}

function hiddenOf({ terms, inputJson, edited }: Approval): HiddenInThread["calls"][number] {
  return { redact: terms.redact, inputJson, editedInputJson: edited?.inputJson ?? null };
}
