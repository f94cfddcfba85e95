import type { Approval } from "../api/approval.js";
import { resultPieces, type SentencePiece, sentencePieces } from "../logic/wording/sentence.js";
import { SafeText } from "./safe-text.js";

/** An approval's summary: the rule's text, with the model's values marked as values. */
export function Sentence({ approval }: { approval: Approval }) {
  return <Pieces pieces={sentencePieces(approval)} />;
}

/** The sentence about a call's result, with the tool's values marked as values. Empty without one. */
export function ResultSentence({ approval }: { approval: Approval }) {
  return <Pieces pieces={resultPieces(approval)} />;
}

function Pieces({ pieces }: { pieces: readonly SentencePiece[] }) {
  return pieces.map(({ text, isValue }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one sentence have no other identity
    <span key={index} className={isValue ? "cs-value" : undefined}>
      <SafeText text={text} />
    </span>
  ));
}
