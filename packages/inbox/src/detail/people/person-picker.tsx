import { useId, useState } from "react";
import type { Person } from "../../api/records.js";
import { SafeText } from "../../components/safe-text.js";
import { peopleMatching, personDetails } from "../../logic/decisions/assignees.js";
import { words } from "../../words/words.js";

/** Longer lists have a search field. */
const maxWithoutSearch = 7;

interface PersonPickerProps {
  people: readonly Person[];
  /** The chosen id, `""` for someone else, or undefined if nobody is chosen yet. */
  chosen: string | undefined;
  onChoose: (id: string) => void;
}

/** Picks one of the people whom the host lists, or someone else. */
export function PersonPicker({ people, chosen, onChoose }: PersonPickerProps) {
  const name = useId();
  const [search, setSearch] = useState("");
  const texts = words.detail.people.assign;
  // The chosen person stays in the list, so that the reader always sees whom they assign.
  const found = peopleMatching(people, search);
  const shown = people.filter((person) => found.includes(person) || person.id === chosen);
  const choice = (id: string) => ({
    type: "radio" as const,
    name,
    value: id,
    required: true,
    checked: chosen === id,
    onChange: () => onChoose(id),
  });
  return (
    <fieldset className="cs-person-picker">
      <legend>{texts.to}</legend>
      {people.length > maxWithoutSearch && (
        <input
          type="search"
          className="cs-input"
          aria-label={texts.find}
          placeholder={texts.find}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={(event) => {
            // Enter in the search field must not submit the form.
            if (event.key === "Enter") event.preventDefault();
          }}
        />
      )}
      <div className="cs-person-picker-list">
        {shown.map((person) => (
          <label key={person.id} className="cs-choice">
            <input {...choice(person.id)} />
            <span>
              <SafeText text={person.displayName ?? person.id} />{" "}
              <small>
                <SafeText text={personDetails(person)} />
              </small>
            </span>
          </label>
        ))}
        <label className="cs-choice">
          <input {...choice("")} />
          <span>{texts.someoneElse}</span>
        </label>
      </div>
    </fieldset>
  );
}
