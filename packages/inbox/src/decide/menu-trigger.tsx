import { Menu } from "@base-ui/react/menu";
import { type ReactNode, type RefObject, useRef } from "react";
import { Icon } from "../components/icon.js";
import { Kbd } from "../components/kbd.js";
import { useKeyHint } from "../data/browser/use-key-hint.js";
import { useCommands } from "../keyboard/use-commands.js";
import type { CommandId } from "../logic/keyboard/commands.js";

interface MenuTriggerProps {
  /** The command that opens the menu, with its first item chosen. */
  command: CommandId;
  /** Whether the command is possible now. @default true */
  possible?: boolean;
  tone?: "plain" | "quiet";
  /** Gets the button, for whoever focuses it. */
  button?: RefObject<HTMLButtonElement | null>;
  children: ReactNode;
}

/** The button of a menu, with the key of its command. */
export function MenuTrigger({
  command,
  possible = true,
  tone = "quiet",
  button,
  children,
}: MenuTriggerProps) {
  const own = useRef<HTMLButtonElement>(null);
  const trigger = button ?? own;
  const key = useKeyHint(command);
  useCommands({ [command]: possible ? () => trigger.current?.click() : undefined });
  return (
    <Menu.Trigger ref={trigger} className="cs-button" data-tone={tone} aria-keyshortcuts={key.aria}>
      {children}
      {key.text && <Kbd>{key.text}</Kbd>}
      <Icon name="down" />
    </Menu.Trigger>
  );
}
