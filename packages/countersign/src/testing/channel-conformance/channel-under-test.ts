import type { Channel } from "../../channels/channel.js";

/** A message as its recipient sees it now. */
export interface SeenMessage {
  /** All of its text, without markup or escapes. */
  text: string;
  /** The decisions that it offers to make there. A link to the inbox is none. */
  buttons: readonly ("approve" | "deny")[];
}

/** A channel, connected to a server that the test controls, such as a stand-in for Slack on this machine. */
export interface ChannelUnderTest {
  channel: Channel;
  /** A target of a rule, if the channel needs one. @default null */
  target?: string | null;
  /** What its recipients see now, oldest first. */
  seen(): readonly SeenMessage[] | Promise<readonly SeenMessage[]>;
  /** Makes the server fail from now on. Without it, failures are not checked. */
  breakDown?(): void | Promise<void>;
  /** Secrets that the channel knows, such as its token. They must appear nowhere. */
  secrets?: readonly string[];
  close?(): void | Promise<void>;
}

/** Something that every channel must do. `run` rejects if this one does not. */
export interface ChannelCheck {
  name: string;
  run(): Promise<void>;
}
