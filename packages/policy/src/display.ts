/**
 * Displays values from models so that people read what is really there: `@countersign/policy/display`, for browsers and
 * servers. Has no dependencies.
 */
export { type ArgumentNames, argumentName, argumentNames } from "./display/argument-name.js";
export { type AuditType, type AuditWords, auditTypes } from "./display/audit-types.js";
export { auditWords } from "./display/audit-words.js";
export { type BudgetLike, budgetText, overBudgetText } from "./display/budget-text.js";
export { charactersText } from "./display/characters-text.js";
export { type CallWords, type CountLike, countText } from "./display/count-text.js";
export type {
  BudgetWords,
  CountParts,
  CountWords,
  DisplayWords,
  EffectWords,
  FlagWords,
  LengthWords,
  MarkWords,
} from "./display/display-words.js";
export {
  type Effect,
  effectText,
  effectValue,
  isUnchanged,
  type PreviewLike,
  previewLines,
  reversibleText,
} from "./display/effect-text.js";
export { englishDisplay } from "./display/english.js";
export { exactSum } from "./display/exact-sum.js";
export { type FlagLike, flagText } from "./display/flag-text.js";
export { englishNumbers, isAmount, type NumberFormat, numberText } from "./display/number-text.js";
export { type PreviewFailure, previewFailureText } from "./display/preview-failures.js";
export { inQuotes, partText, quotedValue, type SummaryPart, summaryText } from "./display/summary-part.js";
export { type LabelledMark, type MarkKind, markLabel, type TextMark } from "./display/text-mark.js";
export { textMarks } from "./display/text-marks.js";
export { visibleLine, visibleText } from "./display/visible-text.js";
export { type WithdrawalCause, withdrawalText } from "./display/withdrawal-text.js";
