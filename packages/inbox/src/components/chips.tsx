import { Kbd } from "./kbd.js";

interface ChipsProps<T extends string> {
  label: string;
  options: readonly T[];
  pressed: T | undefined;
  onPress: (option: T) => void;
  /** The key of an option, printed on it. @default none */
  keyOf?: (option: T) => string | undefined;
}

/** A row of toggle buttons of which one is pressed. */
export function Chips<T extends string>({ label, options, pressed, onPress, keyOf }: ChipsProps<T>) {
  return (
    <fieldset className="cs-chips">
      <legend className="cs-visually-hidden">{label}</legend>
      {options.map((option) => (
        <button
          key={option}
          type="button"
          className="cs-chip"
          aria-pressed={option === pressed}
          aria-keyshortcuts={keyOf?.(option)}
          onClick={() => onPress(option)}
        >
          <Key of={keyOf?.(option)} />
          {option}
        </button>
      ))}
    </fieldset>
  );
}

function Key({ of: key }: { of: string | undefined }) {
  return key === undefined ? null : <Kbd>{key}</Kbd>;
}
