/** The dialog that is open over the inbox. */
export type Overlay = "help" | "palette" | "stop" | undefined;
