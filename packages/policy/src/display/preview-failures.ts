/** Why there are no effects of a call whose tool has a preview, as a sentence for people. */
export const previewFailureText = {
  threw: "No preview: the tool could not say what this would change.",
  late: "No preview: the tool took too long to say what this would change.",
  invalid: "No preview: the tool's preview returned something that cannot be shown.",
} as const;

/** Why there are no effects: the preview threw, took too long, or returned something of another shape. */
export type PreviewFailure = keyof typeof previewFailureText;

export const previewFailures = Object.keys(previewFailureText) as PreviewFailure[];
