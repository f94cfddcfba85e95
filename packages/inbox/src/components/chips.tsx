interface ChipsProps<T extends string> {
  label: string;
  options: readonly T[];
  pressed: T | undefined;
  onPress: (option: T) => void;
}

/** A few words to choose one from. */
export function Chips<T extends string>({ label, options, pressed, onPress }: ChipsProps<T>) {
  return (
    <fieldset className="cs-chips">
      <legend className="cs-unseen">{label}</legend>
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
