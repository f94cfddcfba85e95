import type { Random } from "../random.js";
import { isDecidedAtBoard } from "./channels.js";
import { approvers, type PersonId } from "./people.js";
import { fleetingSeconds, type ToolInput, type ToolName, tools, undoable } from "./tools.js";

/** Where people decide. */
export type Place = "inbox" | "board";

/** Forged presses of buttons, all of which must be refused. */
export const badPresses = ["unsigned", "unknown", "stale", "stranger", "requester"] as const;

/** One decision that a person will send. */
export interface Move {
  who: PersonId;
  /** The place of the decision; a person who finds no button at the board goes to the inbox. */
  place: Place;
  type: "approve" | "edit" | "deny" | "respond";
  /** The amount after an edit. */
  amount?: number;
  /** Milliseconds after the first move; 0 is at the same time. */
  afterMs: number;
  /** Lets later calls of the tool run without asking, within a budget. */
  gives?: boolean;
  /** Milliseconds after which the decision takes effect; 0: at once. */
  holdMs: number;
  /** The person takes the decision back while it is held, and makes it again when that time would have been over. */
  takesBack: boolean;
}

/** Who takes back a call that has run. */
export interface UndoPlan {
  /** Who asks for it: one person, or two at once, or one person twice. */
  asks: { who: PersonId; afterMs: number }[];
  /** What another person does if an undo waits for one. */
  vote: "approve" | "deny";
  /** The first attempt fails. */
  fails: boolean;
}

/** What happens to one gated call apart from the model's proposal. */
export interface PeoplePlan {
  /** Milliseconds from when the call is seen until people decide. */
  delayMs: number;
  moves: Move[];
  /** Attempts before the decision that must all be refused: with a wrong digest, and by the wrong people. */
  attempts: ("stale" | "stranger" | "requester" | "visitor")[];
  /** The same at the board, also about a call that is not decided there, and without the board's signature. */
  presses: (typeof badPresses)[number][];
  /** After the decision, another person presses a button that their message still has. */
  pressedLate: boolean;
  /**
   * Forged wake-ups: with a wrong token, with the right one, several at once, or repeated until the run has read one. In
   * the last case, people decide only after that.
   */
  forgery: "none" | "wrong token" | "right token" | "right token, many" | "until it is read";
  /** The adversary changes the stored arguments between the look and the decision. */
  tampered: boolean;
  /** Right before the decision, somebody changes what the call would change, if people were shown that. */
  changesWorld: boolean;
}

export interface CallPlan {
  ref: string;
  tool: ToolName;
  input: ToolInput;
  people: PeoplePlan;
  /** Only for calls that can be taken back. */
  undo: UndoPlan | undefined;
}

/** Runs that begin one after another spend of the same account, so many of them at the same time. */
const runsOfAccount = 20;

/** Half of the runs are AgentKit's. A thread's runs may be of different kinds. */
const agents = ["agentkit", "agentkit", "loop", "ai-sdk"] as const;

/** One run of the agent: what the model proposes, turn by turn. */
export interface RunPlan {
  index: number;
  threadId: string;
  format: "openai" | "anthropic";
  /** The kind of agent: a network of AgentKit, a loop around a provider's client, or one of the AI SDK. */
  agent: (typeof agents)[number];
  turns: CallPlan[][];
  /** The tools of this run have previews. */
  previews: boolean;
  /** Milliseconds after its beginning at which its user cancels it. */
  cancelAfterMs: number | undefined;
  /** Milliseconds after its beginning at which the user writes again in the same thread. */
  supersedeAfterMs: number | undefined;
}

export interface PlanOptions {
  /** The longest that people take, in milliseconds. */
  longestDelayMs: number;
  /** Fewer kinds of trouble, for short runs that must end soon. */
  drill: boolean;
  /** The only tools that are called. @default all */
  tools?: readonly ToolName[] | undefined;
}

const toolWeights: [ToolName, number][] = [
  ["lookup", 2],
  ["archive", 2],
  ["refund", 6],
  ["email", 4],
  ["report", 3],
  ["payout", 2],
  ["fleeting", 2],
  ["adjust", 4],
  ["spend", 4],
  ["book", 4],
  ["pay", 5],
  ["inspect", 1],
  ["erase", 1],
];

/** Plans run number `index`, independently of the runs before it. */
export function planRun(random: Random, index: number, options: PlanOptions): RunPlan {
  const own = random.of("run", index);
  // The runs are short, so that a machine with two cores carries out hundreds.
  const turns = Array.from({ length: own.pick([1, 1, 1, 2, 3]) }, (_, turn) =>
    Array.from({ length: own.pick([1, 1, 1, 2, 3]) }, (_, call) =>
      planCall(own.of("call", turn, call), `r${index}t${turn}c${call}`, {
        ...options,
        account: `account ${Math.floor(index / runsOfAccount)}`,
      }),
    ),
  );
  const ending = own.next();
  return {
    index,
    threadId: `thread-${index}`,
    format: own.pick(["openai", "anthropic"] as const),
    agent: own.of("agent").pick(agents),
    turns,
    previews: own.of("previews").chance(0.6),
    cancelAfterMs: ending < 0.1 && !options.drill ? own.int(500, options.longestDelayMs) : undefined,
    supersedeAfterMs: ending > 0.86 ? own.int(500, options.longestDelayMs) : undefined,
  };
}

/** The message that the user sends while an earlier run of the thread still works. */
export function followingRun(random: Random, earlier: RunPlan, index: number, options: PlanOptions): RunPlan {
  const plan = planRun(random, index, options);
  return { ...plan, threadId: earlier.threadId, cancelAfterMs: undefined, supersedeAfterMs: undefined };
}

function planCall(
  random: Random,
  ref: string,
  { account, ...options }: PlanOptions & { account: string },
): CallPlan {
  const tool = pickTool(random, options);
  return {
    ref,
    tool,
    input: { ref, amount: random.int(1, 1000), account, fails: random.chance(0.08) },
    people: planPeople(random, tool, options),
    undo: tool === undoable ? planUndo(random.of("undo"), options) : undefined,
  };
}

function planUndo(random: Random, { longestDelayMs, drill }: PlanOptions): UndoPlan | undefined {
  if (random.chance(0.15)) return undefined;
  const [first, second] = random.shuffle(approvers);
  if (!first || !second) throw new Error("unreachable");
  const afterMs = random.chance(0.5) ? 0 : random.int(50, longestDelayMs);
  const other = random.chance(0.7) ? second : first;
  return {
    asks: [first, ...(random.chance(0.5) ? [other] : [])].map((who) => ({ who, afterMs })),
    vote: random.chance(0.8) ? "approve" : "deny",
    fails: random.chance(drill ? 0.4 : 0.15),
  };
}

function pickTool(random: Random, { tools: only }: PlanOptions): ToolName {
  const weights = toolWeights.filter(([tool]) => only === undefined || only.includes(tool));
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0);
  let left = random.next() * total;
  for (const [tool, weight] of weights) {
    left -= weight;
    if (left < 0) return tool;
  }
  return only?.[0] ?? "refund";
}

function planPeople(random: Random, tool: ToolName, { longestDelayMs, drill }: PlanOptions): PeoplePlan {
  // A quarter of the decisions comes at once, to find a wait that is registered too late.
  const unhurried = tool === "fleeting" ? fleetingSeconds * 1000 : longestDelayMs;
  const delayMs = random.chance(0.25) ? 0 : random.int(50, unhurried);
  const attempts = (["stale", "stranger", "requester", "visitor"] as const).filter(() => random.chance(0.08));
  // In a drill, none may come after the decision, because it would replace a wake-up that was lost.
  const forgeries = drill
    ? (["wrong token", "until it is read"] as const)
    : (["wrong token", "right token", "right token, many", "until it is read"] as const);
  const forgery = random.chance(drill ? 0.4 : 0.25) ? random.pick<PeoplePlan["forgery"]>(forgeries) : "none";
  const board = random.of("board");
  const hold = random.of("hold");
  const moves = planMoves(random, tool).map((move): Move => {
    const isThere = isDecidedAtBoard(tool) && (move.type === "approve" || move.type === "deny");
    const place = board.chance(0.5) && isThere ? "board" : "inbox";
    // A vote that decides nothing is not held, and a grant lets other calls run at once.
    const mayHold = place === "inbox" && !move.gives && tools[tool].gate !== "two people";
    const holdMs = hold.chance(0.4) && mayHold ? hold.pick([1000, 2000, 4000]) : 0;
    return { ...move, place, holdMs, takesBack: hold.chance(0.5) && holdMs > 0 };
  });
  return {
    delayMs,
    moves,
    attempts,
    presses: badPresses.filter(() => board.chance(0.06)),
    pressedLate: board.chance(0.2),
    forgery,
    tampered: random.chance(drill ? 0.2 : 0.05),
    changesWorld: random.of("world").chance(0.25),
  };
}

type PlannedMove = Omit<Move, "place" | "holdMs" | "takesBack">;

function planMoves(random: Random, tool: ToolName): PlannedMove[] {
  const [first, second, third] = random.shuffle(approvers);
  if (!first || !second || !third) throw new Error("unreachable");
  const move = (who: PersonId, afterMs: number): PlannedMove => {
    const type = planType(random, tool);
    const gives = tools[tool].gate === "granted" && type === "approve" && random.chance(0.7);
    return {
      ...{ who, type, afterMs, gives },
      ...(type === "edit" ? { amount: random.int(1001, 2000) } : {}),
    };
  };
  if (tools[tool].gate === "two people") {
    // The third person decides if one of the others denies, or too late.
    return [
      move(first, 0),
      move(second, random.pick([0, 0, 300])),
      { who: third, type: "approve", afterMs: 600 },
    ];
  }
  if (tool === "fleeting" && random.chance(0.4)) return [];
  if (random.chance(0.25)) return [move(first, 0), move(second, random.pick([0, 0, 20]))];
  return [move(first, 0)];
}

function planType(random: Random, tool: ToolName): Move["type"] {
  if (tools[tool].gate === "manual") return random.chance(0.8) ? "respond" : "deny";
  const choice = random.next();
  if (choice < 0.6) return "approve";
  if (tools[tool].gate === "granted") return choice < 0.8 ? "approve" : "deny";
  if (tools[tool].gate === "two people") return choice < 0.85 ? "approve" : "deny";
  if (choice < 0.8) return "edit";
  if (choice < 0.88 && tool === "email") return "respond";
  return "deny";
}
