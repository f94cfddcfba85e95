import type { ChannelGate } from "countersign/types";
import { shownText } from "../message/plain-text.js";
import type { SlackSettings } from "../settings.js";
import { reasonBlockId } from "./deny-modal.js";
import { anyPayload, payloadSchema, type ViewSubmission } from "./payloads.js";
import { pressed } from "./pressed.js";
import { readBody } from "./read-body.js";
import { sendEphemeral } from "./send-ephemeral.js";
import { submitted } from "./submitted.js";
import { signatureProblem } from "./verify-signature.js";

/** Slack shows an error to the person after three seconds without an answer. */
const answerWithinMs = 2000;
const maxError = 1000;

/** Handles a request of Slack: verifies the sender, then carries out the person's action. */
export async function receiveFromSlack(
  settings: SlackSettings,
  request: Request,
  gate: ChannelGate,
): Promise<Response> {
  const { logger, name, signingSecret, now } = settings;
  const body = await readBody(request);
  if (body === null) return answer(413);
  const problem = signatureProblem(request.headers, body, signingSecret, now());
  const form = new URLSearchParams(Buffer.from(body).toString("utf8"));
  // Slack's certificate check contains no action and may be unsigned.
  if (form.get("ssl_check") === "1" && !form.has("payload")) return answer(200);
  if (problem !== null) {
    logger.warn("a request in Slack's name was refused", { channel: name, problem });
    return answer(401);
  }
  const payload = jsonOf(form.get("payload"));
  const parsed = payloadSchema.safeParse(payload);
  if (!parsed.success) {
    const { data } = anyPayload.safeParse(payload);
    logger.warn("a request from Slack was not understood", { channel: name, type: data?.type ?? null });
    return answer(data === undefined ? 400 : 200);
  }
  return parsed.data.type === "block_actions"
    ? inTime(
        settings,
        pressed(settings, gate, parsed.data).then(() => answer(200)),
        () => answer(200),
      )
    : submission(settings, gate, parsed.data);
}

async function submission(
  settings: SlackSettings,
  gate: ChannelGate,
  payload: ViewSubmission,
): Promise<Response> {
  let late = false;
  const work = submitted(settings, gate, payload).then(async ({ metadata, refusal }) => {
    if (refusal === null) return answer(200);
    if (!late) return modalError(refusal);
    // The form is already closed, so the refusal is sent as a message.
    await sendEphemeral(
      settings,
      { channel: metadata?.channel ?? undefined, user: payload.user.id },
      refusal,
    );
    return answer(200);
  });
  return inTime(settings, work, () => {
    late = true;
    return answer(200);
  });
}

/** Waits for the work if it is quick. Otherwise answers at once, and the work continues afterwards. */
async function inTime(
  { waitUntil }: SlackSettings,
  work: Promise<Response>,
  acknowledge: () => Response,
): Promise<Response> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeUp = new Promise<"late">((resolve) => {
    timer = setTimeout(resolve, answerWithinMs, "late");
  });
  const first = await Promise.race([work, timeUp]);
  clearTimeout(timer);
  if (first !== "late") return first;
  waitUntil(work);
  return acknowledge();
}

const answer = (status: number): Response => new Response(null, { status });

function modalError(refusal: string): Response {
  const { text } = shownText(refusal, maxError);
  return Response.json({ response_action: "errors", errors: { [reasonBlockId]: text } });
}

function jsonOf(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}
