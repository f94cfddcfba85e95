import { type RefObject, useId, useState } from "react";

interface ComposerProps {
  field: RefObject<HTMLInputElement | null>;
  /** Why nothing can be sent now. */
  blocked: string | undefined;
  onSend: (text: string) => void;
}

export function Composer({ field, blocked, onSend }: ComposerProps) {
  const [text, setText] = useState("");
  const id = useId();
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        if (blocked || text.trim() === "") return;
        onSend(text.trim());
        setText("");
      }}
    >
      <label htmlFor={id} className="cs-visually-hidden">
        Message to the agent
      </label>
      <input
        ref={field}
        id={id}
        className="cs-input"
        value={text}
        placeholder="Ask the agent for something"
        autoComplete="off"
        maxLength={2000}
        aria-describedby={`${id}-state`}
        onChange={(event) => setText(event.target.value)}
      />
      <button
        type="submit"
        className="cs-button"
        data-tone="primary"
        aria-disabled={blocked ? true : undefined}
      >
        Send
      </button>
      <p id={`${id}-state`} className="composer-state">
        {blocked}
      </p>
    </form>
  );
}
