import type { Channel } from "countersign";

/** A message as its recipient currently sees it. */
export interface SeenMessage {
  /** All of its text, without markup or escapes. */
  text: string;
  /** The decisions that the message offers. A link to the inbox is not one. */
  buttons: readonly ("approve" | "deny")[];
}

/** A channel, connected to a server that the test controls, such as a stand-in for Slack on this machine. */
export interface ChannelUnderTest {
  channel: Channel;
  /** A target of a rule, if the channel needs one. @default null */
  target?: string | null;
  /** The messages that its recipients currently see, oldest first. */
  seen(): readonly SeenMessage[] | Promise<readonly SeenMessage[]>;
  /** Makes the server fail from now on. Without it, failures are not checked. */
  breakDown?(): void | Promise<void>;
  /** Secrets of the channel, such as its token. They must not appear in any message, error or log. */
  secrets?: readonly string[];
  close?(): void | Promise<void>;
}

/** A requirement for every channel. `run` rejects if this channel does not meet it. */
export interface ChannelCheck {
  name: string;
  run(): Promise<void>;
}
