import { z } from "zod";

/** Slack stores these characters as entities, and may count them so. */
export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const text = (max: number) =>
  z
    .string()
    .refine((value) => value.trim() !== "", "must be more than 0 characters")
    .refine((value) => escaped(value).length <= max, `must be less than ${max + 1} characters`)
    .refine((value) => !/\p{Surrogate}|\0/u.test(value), "must be valid text");

export const plainText = (max: number) =>
  z.strictObject({ type: z.literal("plain_text"), text: text(max), emoji: z.boolean().optional() });
const mrkdwn = (max: number) =>
  z.strictObject({ type: z.literal("mrkdwn"), text: text(max), verbatim: z.boolean().optional() });
const textObject = (max: number) => z.discriminatedUnion("type", [plainText(max), mrkdwn(max)]);

const id = z.string().min(1).max(255);
const style = z.enum(["primary", "danger"]);

const button = z.strictObject({
  type: z.literal("button"),
  text: plainText(75),
  action_id: id.optional(),
  value: z.string().max(2000).optional(),
  url: z.url().max(3000).optional(),
  style: style.optional(),
  confirm: z
    .strictObject({
      title: plainText(100),
      text: textObject(300),
      confirm: plainText(30),
      deny: plainText(30),
      style: style.optional(),
    })
    .optional(),
});
export type ShownButton = z.infer<typeof button>;

const blockId = { block_id: id.optional() };
const header = z.strictObject({ type: z.literal("header"), text: plainText(150), ...blockId });
const divider = z.strictObject({ type: z.literal("divider"), ...blockId });
const section = z
  .strictObject({
    type: z.literal("section"),
    text: textObject(3000).optional(),
    fields: z.array(textObject(2000)).min(1).max(10).optional(),
    accessory: button.optional(),
    expand: z.boolean().optional(),
    ...blockId,
  })
  .refine((block) => block.text !== undefined || block.fields !== undefined, "missing required field: text");
const context = z.strictObject({
  type: z.literal("context"),
  elements: z.array(textObject(2000)).min(1).max(10),
  ...blockId,
});
const actions = z.strictObject({
  type: z.literal("actions"),
  elements: z.array(button).min(1).max(25),
  ...blockId,
});
const input = z.strictObject({
  type: z.literal("input"),
  label: plainText(2000),
  hint: plainText(2000).optional(),
  optional: z.boolean().optional(),
  element: z.strictObject({
    type: z.literal("plain_text_input"),
    action_id: id.optional(),
    multiline: z.boolean().optional(),
    max_length: z.number().int().min(1).max(3000).optional(),
    placeholder: plainText(150).optional(),
  }),
  ...blockId,
});

export const messageBlock = z.discriminatedUnion("type", [header, divider, section, context, actions]);
export type ShownBlock = z.infer<typeof messageBlock>;

export const messageBlocks = z
  .array(messageBlock)
  .max(50, "no more than 50 items allowed")
  .superRefine((blocks, check) => {
    const blockIds = blocks.flatMap(({ block_id }) => block_id ?? []);
    const actionIds = blocks.flatMap((block) =>
      block.type === "actions" ? block.elements.flatMap(({ action_id }) => action_id ?? []) : [],
    );
    for (const [name, ids] of Object.entries({ block_id: blockIds, action_id: actionIds })) {
      if (new Set(ids).size < ids.length)
        check.addIssue({ code: "custom", message: `\`${name}\` already exists` });
    }
  });

const modalBlock = z.discriminatedUnion("type", [header, divider, section, context, actions, input]);

export const modalView = z
  .strictObject({
    type: z.literal("modal"),
    callback_id: id.optional(),
    private_metadata: z.string().max(3000).optional(),
    title: plainText(24),
    submit: plainText(24).optional(),
    close: plainText(24).optional(),
    blocks: z.array(modalBlock).min(1).max(100),
    clear_on_close: z.boolean().optional(),
    notify_on_close: z.boolean().optional(),
    external_id: z.string().max(255).optional(),
  })
  .refine(
    ({ submit, blocks }) => submit !== undefined || blocks.every(({ type }) => type !== "input"),
    "missing required field: submit",
  );
export type ModalView = z.infer<typeof modalView>;
