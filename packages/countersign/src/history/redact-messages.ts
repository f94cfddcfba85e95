import type { Approval } from "../approval/approval.js";
import { type Hiding, hiddenTexts, redact } from "../approval/redact.js";
import { escapedPattern } from "../approval/redact-patterns.js";
import { hidingFor, withPatterns } from "../approval/shown.js";
import { storableText } from "../approval/storable-text.js";
import { isPlainObject } from "../approval/tool-input.js";

/**
 * Hides in a thread's messages what its approvals hide, and what the instance hides everywhere: a call's fields by
 * their paths, their values wherever the call's result or anybody's words repeat them, and what patterns match.
 */
export function messageRedaction(
  approvals: readonly Approval[],
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
    const { redactPatterns } = hidingOf(approvals);
    const repeated = new Set(seesEverything ? [] : approvals.flatMap(hiddenTextsOf));
    // One expression for all, the longest first: a thread may hide many texts, and each message is looked through.
    const any = [...repeated].sort((one, other) => other.length - one.length).join("|");
    return { redact: [], redactPatterns: withPatterns(redactPatterns, any === "" ? [] : [any]) };
  };
  return {
    input: (toolCallId: string, input: unknown) => redact(input, hidingOf(callsOf(toolCallId))),
    result(toolCallId: string, content: unknown) {
      const calls = callsOf(toolCallId);
      const hiding = hidingOf(calls);
      const repeated = seesEverything ? [] : calls.flatMap(hiddenTextsOf);
      // What the model is told of an edit quotes the fields that were changed, perhaps only the beginning of a value.
      const quotes = hiding.redact.length > 0 && calls.some(({ edited }) => edited !== null);
      const note = quotes && isPlainObject(content) && "note" in content ? ["note"] : [];
      return redact(content, { redact: note, redactPatterns: withPatterns(hiding.redactPatterns, repeated) });
    },
    /** What somebody wrote: the user, or the model between its calls. */
    words(text: string): string {
      ofWords ??= hidingOfWords();
      return String(redact(text, ofWords));
    },
  };
}

export type MessageRedaction = ReturnType<typeof messageRedaction>;

/** The hidden values of one call as expressions that match them. */
function hiddenTextsOf({ terms, inputJson, edited }: Approval): string[] {
  if (terms.redact.length === 0) return [];
  return [inputJson, ...(edited ? [edited.inputJson] : [])]
    .flatMap((json) => hiddenTexts(JSON.parse(json), terms.redact))
    .map(escapedPattern);
}
