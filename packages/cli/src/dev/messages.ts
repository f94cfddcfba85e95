import * as z from "zod";

/** What the process of the app tells the command. */
export const appMessage = z.union([
  /** A port on which the app listens. */
  z.object({ listening: z.number() }),
  /** The app has an instance of Countersign, whose inbox is served now. */
  z.object({ inbox: z.literal(true) }),
]);

export type AppMessage = z.infer<typeof appMessage>;

/** What the process of an app gets. */
export const appSettings = z.object({
  file: z.string(),
  /** The address of the module that serves the inbox. */
  inbox: z.string(),
  inboxPort: z.number(),
  id: z.string(),
  tenantId: z.string().optional(),
});

export type AppSettings = z.infer<typeof appSettings>;

/** The environment variable with the settings, as JSON. */
export const settingsVariable = "COUNTERSIGN_DEV_APP";
