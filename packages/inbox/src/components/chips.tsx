interface ChipsProps<T extends string> {
  label: string;
  options: readonly T[];
  pressed: T | undefined;
  onPress: (option: T) => void;
}

/** A row of toggle buttons of which one is pressed. */
export function Chips<T extends string>({ label, options, pressed, onPress }: ChipsProps<T>) {
  return (
    <fieldset className="cs-chips">
      <legend className="cs-visually-hidden">{label}</legend>
      {options.map((option) => (
        <button
          key={option}
          type="button"
          className="cs-chip"
          aria-pressed={option === pressed}
          onClick={() => onPress(option)}
        >
          {option}
        </button>
      ))}
    </fieldset>
  );
}
