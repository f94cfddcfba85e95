import * as z from "zod";

const id = z.string().min(1).max(100);
const person = z.object({ id, team_id: id.nullish() });
const common = {
  user: person,
  team: z.object({ id }).nullish(),
  enterprise: z.object({ id }).nullish(),
};

/** Someone pressed a button. */
const blockActions = z.object({
  type: z.literal("block_actions"),
  ...common,
  channel: z.object({ id }).nullish(),
  container: z.object({ channel_id: id.nullish(), message_ts: id.nullish() }).nullish(),
  trigger_id: z.string().min(1),
  actions: z.array(z.object({ action_id: z.string(), value: z.string().nullish() })).min(1),
});

/** Someone submitted a modal. */
const viewSubmission = z.object({
  type: z.literal("view_submission"),
  ...common,
  view: z.object({
    callback_id: z.string(),
    private_metadata: z.string(),
    state: z.object({
      values: z.record(z.string(), z.record(z.string(), z.object({ value: z.string().nullish() }))),
    }),
  }),
});

/** The two of Slack's many request types that this channel causes. */
export const payloadSchema = z.discriminatedUnion("type", [blockActions, viewSubmission]);
export const anyPayload = z.object({ type: z.string() });

export type BlockActions = z.infer<typeof blockActions>;
export type ViewSubmission = z.infer<typeof viewSubmission>;
export type SlackPerson = Pick<BlockActions, "user" | "team" | "enterprise">;
