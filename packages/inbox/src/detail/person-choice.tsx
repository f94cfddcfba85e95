import { useId, useState } from "react";
import type { Person } from "../api/approval.js";
import { SafeText } from "../components/safe-text.js";
import { aboutPerson, peopleWithWords } from "../logic/people-to-choose.js";

/** Longer lists can be searched. */
const mostAtAGlance = 7;

interface PersonChoiceProps {
  people: readonly Person[];
  /** Who is chosen: an id, `""` for somebody else, undefined for nobody yet. */
  chosen: string | undefined;
  onChoose: (id: string) => void;
}

/** One of the people whom the host names, or somebody else. */
export function PersonChoice({ people, chosen, onChoose }: PersonChoiceProps) {
  const name = useId();
  const [words, setWords] = useState("");
  // Who is chosen stays in view, so that nobody passes something on to a person they do not see.
  const found = peopleWithWords(people, words);
  const shown = people.filter((person) => found.includes(person) || person.id === chosen);
  const choice = (id: string) => ({
    ...{ type: "radio" as const, name, value: id, required: true, checked: chosen === id },
    onChange: () => onChoose(id),
  });
  return (
    <fieldset className="cs-person-choice">
      <legend>Who should decide</legend>
      {people.length > mostAtAGlance && (
        <input
          type="search"
          className="cs-input"
          aria-label="Find by name or role"
          placeholder="Find by name or role"
          value={words}
          onChange={(event) => setWords(event.target.value)}
          onKeyDown={(event) => {
            // It looks for somebody, and sends nothing yet.
            if (event.key === "Enter") event.preventDefault();
          }}
        />
      )}
      <div className="cs-person-choice-list">
        {shown.map((person) => (
          <label key={person.id} className="cs-choice">
            <input {...choice(person.id)} />
            <span>
              <SafeText text={person.displayName ?? person.id} />{" "}
              <small>
                <SafeText text={aboutPerson(person)} />
              </small>
            </span>
          </label>
        ))}
        <label className="cs-choice">
          <input {...choice("")} />
          <span>Somebody else</span>
        </label>
      </div>
    </fieldset>
  );
}
