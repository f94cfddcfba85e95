import type { ModalView, ShownBlock } from "./block-schemas.js";

export interface SlackChannel {
  id: string;
  name: string;
  /** Whether the app is in it. */
  joined: boolean;
  archived: boolean;
  members: Set<string>;
}

export interface SlackUser {
  id: string;
  team: string;
  email: string;
  deactivated: boolean;
}

export interface SlackMessage {
  channel: string;
  ts: string;
  text: string;
  blocks: ShownBlock[];
  metadata: { event_type: string; event_payload: Record<string, unknown> } | null;
  threadTs: string | null;
  broadcast: boolean;
  /** The blocks before each update, oldest first. */
  earlier: ShownBlock[][];
}

export interface Ephemeral {
  channel: string;
  user: string;
  text: string;
  blocks: ShownBlock[];
}

export interface OpenedView {
  id: string;
  user: string;
  view: ModalView;
}

/** What Slack keeps of one workspace. */
export class Workspace {
  readonly team: string;
  readonly now: () => Date;
  readonly channels = new Map<string, SlackChannel>();
  readonly users = new Map<string, SlackUser>();
  readonly messages: SlackMessage[] = [];
  readonly ephemerals: Ephemeral[] = [];
  readonly views: OpenedView[] = [];
  readonly triggers = new Map<string, { user: string; at: number; used: boolean }>();
  readonly scopes = new Set(["chat:write", "im:write", "users:read", "users:read.email"]);
  #count = 0;

  constructor(team: string, now: () => Date) {
    this.team = team;
    this.now = now;
  }

  next(prefix: string): string {
    this.#count += 1;
    return `${prefix}${String(this.#count).padStart(9, "0")}`;
  }

  /** Unique within the workspace, as Slack's are within a conversation. */
  timestamp(): string {
    this.#count += 1;
    return `${Math.floor(this.now().getTime() / 1000)}.${String(this.#count).padStart(6, "0")}`;
  }

  addChannel(name: string, settings: Partial<Pick<SlackChannel, "joined" | "archived">> = {}): SlackChannel {
    const channel = { id: this.next("C"), name, joined: true, archived: false, members: new Set<string>() };
    this.channels.set(channel.id, { ...channel, ...settings });
    return this.channels.get(channel.id) ?? channel;
  }

  addUser({ team = this.team, channels = [] as readonly SlackChannel[] } = {}): SlackUser {
    const id = this.next("U");
    const user = { id, team, email: `${id.toLowerCase()}@example.com`, deactivated: false };
    this.users.set(id, user);
    for (const channel of channels) channel.members.add(id);
    return user;
  }

  /** The direct conversation of the app with a person. */
  directChannel(user: string): SlackChannel {
    const id = `D${user.slice(1)}`;
    const channel = { id, name: "", joined: true, archived: false, members: new Set([user]) };
    if (!this.channels.has(id)) this.channels.set(id, channel);
    return this.channels.get(id) ?? channel;
  }

  messageAt(channel: string, ts: string): SlackMessage | undefined {
    return this.messages.find((message) => message.channel === channel && message.ts === ts);
  }

  deleteMessage(message: SlackMessage): void {
    this.messages.splice(this.messages.indexOf(message), 1);
  }

  /** Slack gives each interaction a trigger, with which the app can open one modal within three seconds. */
  addTrigger(user: string): string {
    const id = this.next("trigger.");
    this.triggers.set(id, { user, at: this.now().getTime(), used: false });
    return id;
  }
}
