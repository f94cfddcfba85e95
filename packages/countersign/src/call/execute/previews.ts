import { type Effect, effectLines } from "@countersign/policy/internal/display/effect-text";
import { type PreviewFacts, previewFacts } from "@countersign/policy/internal/policy/preview-facts";
import type { RecordedPreview } from "@countersign/policy/internal/previews/recorded-preview";
import type { CheckContext } from "@countersign/policy/internal/safety-checks/safety-check";
import type { Approval } from "../../approval/approval.js";
import { effectsChanged, type Refusal } from "../../approval/refusal-text.js";
import { visibleEffects } from "../../approval/visible-arguments.js";
import type { Preview } from "../../previews/preview.js";
import { runPreview } from "../../previews/run-preview.js";
import type { Objection } from "../../store/ports/approval-port.js";
import { runPlainHandler } from "../run/plain-handler.js";
import type { ExecutionRuntime } from "../run/runtime.js";
import { previewOf } from "../tool/with-preview.js";
import type { Tool } from "../tool.js";
import { argumentsOf } from "./safety-checks.js";

/** For whom a call is rehearsed. */
type RehearsedFor = Pick<CheckContext, "tenantId" | "threadId" | "requester">;

/** A tool or an action, and its preview if it has one. */
export interface Rehearsable {
  name: string;
  preview: Preview | undefined;
}

export function rehearsable(tool: Tool): Rehearsable {
  return { name: tool.name, preview: previewOf(tool) };
}

/** What the preview says about a call; `null` without one. It cannot use the steps of the run. */
export async function rehearse(
  { logger }: Pick<ExecutionRuntime, "logger">,
  { name: toolName, preview }: Rehearsable,
  inputJson: string,
  { tenantId, threadId, requester }: RehearsedFor,
  at: Pick<CheckContext, "moment" | "approvalId">,
): Promise<RecordedPreview | null> {
  if (!preview) return null;
  const context = { ...at, toolName, tenantId, threadId, requester };
  const rehearsing: Preview = (input, told) =>
    runPlainHandler(toolName, logger, async () => preview(input, told), "preview");
  return runPreview(rehearsing, { inputJson, context, logger });
}

/** What a call would change that is about to start. */
export interface StartPreview {
  /** The arguments as proposed, for which it was found out. */
  inputJson: string;
  preview: RecordedPreview;
  /** The same for the arguments that run. Another one only after an edit. */
  running: { inputJson: string; preview: RecordedPreview };
}

/**
 * Rehearses an approved call again before it is claimed; `undefined` if its tool has no preview. What people saw was found
 * out for the arguments as proposed, so after an edit both are rehearsed.
 */
export async function rehearseAtStart(
  runtime: Pick<ExecutionRuntime, "logger">,
  tool: Rehearsable,
  approval: Approval,
  subject: RehearsedFor,
): Promise<StartPreview | undefined> {
  const at = { moment: "start", approvalId: approval.id } as const;
  const { inputJson, edited } = approval;
  const [preview, changed] = await Promise.all([
    rehearse(runtime, tool, inputJson, subject, at),
    edited && rehearse(runtime, tool, edited.inputJson, subject, at),
  ]);
  if (!preview) return undefined;
  const running = { inputJson: argumentsOf(approval), preview: changed ?? preview };
  return { inputJson, preview, running };
}

/**
 * What conditions know of the effects of a call that is about to start. A call that has started before is judged by the
 * effects that it was approved with: those of now may be its own.
 */
export function previewAtStart(ran: StartPreview | undefined, approval: Approval): RecordedPreview | null {
  if (approval.status !== "approved") return approval.terms.preview;
  return ran?.running.inputJson === argumentsOf(approval) ? ran.running.preview : null;
}

/** The same as facts for rules. */
export function factsAtStart(ran: StartPreview | undefined, approval: Approval): PreviewFacts {
  return previewFacts(previewAtStart(ran, approval));
}

/** Why a call must not start according to its preview: it would not change what people saw that it would. */
export function previewObjection(ran: StartPreview | undefined, approval: Approval): Objection | undefined {
  const { preview: seen } = approval.terms;
  if (!seen || "failed" in seen || approval.status !== "approved") return undefined;
  if (ran && ran.inputJson !== approval.inputJson) return { cause: "digest_changed" };
  const now = ran?.preview;
  const isSame = now && "stateHash" in now && now.stateHash === seen.stateHash;
  // Nobody has seen what changed arguments would do, but it must be possible to find out.
  if (isSame && ran && !("failed" in ran.running.preview)) return undefined;
  const current = now && "effectsJson" in now ? now.effectsJson : "[]";
  const field = firstChange(visible(approval, seen.effectsJson), visible(approval, current));
  return { cause: "effects_changed", ...(field !== undefined && { field }) };
}

/** The refusal of a call whose effects are no longer those that people saw, in words about both. */
export function refusalByPreview(ran: StartPreview | undefined, approval: Approval): Refusal | undefined {
  const { preview: seen } = approval.terms;
  if (!ran || approval.withdrawalCause !== "effects_changed" || !seen || "failed" in seen) return undefined;
  const linesOf = (json: string) => effectLines(visible(approval, json), { max: maxLines });
  const { preview } = "failed" in ran.running.preview ? ran.running : ran;
  const now = "failed" in preview ? null : linesOf(preview.effectsJson);
  return effectsChanged(approval, { seen: linesOf(seen.effectsJson), now });
}

/** Maximum effects that the model reads of each list. */
const maxLines = 10;

/** The target of the first effect that people saw and that would not be the same now. */
function firstChange(seen: readonly Effect[], now: readonly Effect[]): string | undefined {
  const current = new Set(now.map((effect) => JSON.stringify(effect)));
  return seen.find((effect) => !current.has(JSON.stringify(effect)))?.target;
}

/** Without what the rule hides, which an effect may repeat. */
function visible({ inputJson, terms }: Approval, effectsJson: string): Effect[] {
  return visibleEffects(effectsJson, inputJson, terms);
}
