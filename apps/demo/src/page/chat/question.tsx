import { useId } from "react";
import { z } from "zod";
import { approversText, callText } from "./call-text.js";
import { Effect } from "./effect.js";
import type { Call } from "./messages.js";
import { shownText } from "./shown-text.js";

const field = z.looseObject({
  type: z.string().optional(),
  title: z.string().optional(),
  enum: z.array(z.string()).optional(),
});
const question = z.object({
  message: z.string(),
  choices: z.array(z.string()).optional(),
  form: z
    .looseObject({ properties: z.record(z.string(), field), required: z.array(z.string()).default([]) })
    .optional(),
});

interface QuestionProps {
  call: Call;
  /** Sends the answer; absent while the chat is busy. */
  onAnswer: ((answer: unknown) => void) | undefined;
}

/** A question of the agent or of an MCP server, with its choices or its form. */
export function Question({ call: { part, approval }, onAnswer }: QuestionProps) {
  const id = useId();
  const asked = question.safeParse(part?.input).data;
  const open = part?.state === "input-available" && onAnswer !== undefined;
  const words = approval && approval.status !== "pending" ? callText(approval) : undefined;
  const forOthers = approval?.status === "pending" && !approval.decidableHere;
  return (
    <section className="call question" aria-labelledby={id} data-tone={words?.tone ?? "waiting"}>
      <p className="call-summary" id={id}>
        {shownText(asked?.message ?? approval?.summary ?? "The agent asks a question")}
      </p>
      {open && asked?.choices && (
        <div className="call-buttons" data-choices>
          {asked.choices.map((choice) => (
            <button
              key={choice}
              type="button"
              className="cs-button"
              data-tone="plain"
              onClick={() => onAnswer({ action: "accept", content: { choice } })}
            >
              {choice}
            </button>
          ))}
        </div>
      )}
      {open && asked?.form && <AnswerForm form={asked.form} onAnswer={onAnswer} />}
      {open && (
        <button
          type="button"
          className="cs-button"
          data-tone="quiet"
          onClick={() => onAnswer({ action: "decline" })}
        >
          Decline to answer
        </button>
      )}
      {approval?.refused && <p className="call-refused">Your answer was not recorded: {approval.refused}</p>}
      {forOthers && (
        <p>
          <span className="call-state">Waiting for a person.</span> {approversText(approval.approvers)} can
          answer.
        </p>
      )}
      {words && <p className="call-state">{words.text}</p>}
      {part?.state === "output-available" && <Effect output={answerIn(part.output, asked?.form)} />}
    </section>
  );
}

type Form = NonNullable<z.infer<typeof question>["form"]>;

function AnswerForm({ form, onAnswer }: { form: Form; onAnswer: (answer: unknown) => void }) {
  const id = useId();
  const fields = Object.entries(form.properties);
  return (
    <form
      className="answer-form"
      onSubmit={(event) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget);
        const content = Object.fromEntries(
          fields.flatMap(([name, { type }]): [string, unknown][] => {
            const value = given.get(name);
            if (type === "boolean") return [[name, value === "on"]];
            if (typeof value !== "string" || value === "") return [];
            return [[name, type === "integer" || type === "number" ? Number(value) : value]];
          }),
        );
        onAnswer({ action: "accept", content });
      }}
    >
      {fields.map(([name, { type, title = name, enum: options }]) => {
        const common = { id: `${id}-${name}`, name, required: form.required.includes(name) };
        return (
          <div key={name}>
            <label htmlFor={common.id}>{title}</label>
            {options ? (
              <select className="cs-input" {...common} defaultValue="">
                <option value="" />
                {options.map((option) => (
                  <option key={option}>{option}</option>
                ))}
              </select>
            ) : type === "boolean" ? (
              <input type="checkbox" {...common} required={false} />
            ) : (
              <input
                className="cs-input"
                type={type === "integer" || type === "number" ? "number" : "text"}
                autoComplete="off"
                {...common}
              />
            )}
          </div>
        );
      })}
      <button type="submit" className="cs-button" data-tone="primary">
        Send answer
      </button>
    </form>
  );
}

const given = z.object({ action: z.string(), content: z.record(z.string(), z.unknown()).optional() });

/** The answer under the titles of the form, without the fields of the protocol. */
function answerIn(output: unknown, form: Form | undefined): unknown {
  const answer = given.safeParse(output).data;
  if (!answer) return output;
  const parts = Object.entries(answer.content ?? { answer: answer.action });
  return Object.fromEntries(parts.map(([name, value]) => [form?.properties[name]?.title ?? name, value]));
}
