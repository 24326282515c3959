/** A few choices of which one holds, as buttons in a row. */
export interface SwitchProps<Choice extends string> {
  label: string;
  choices: readonly { value: Choice; label: string }[];
  chosen: Choice;
  onChoose: (choice: Choice) => void;
}

export function Switch<Choice extends string>({ label, choices, chosen, onChoose }: SwitchProps<Choice>) {
  return (
    <div class="switch" role="group" aria-label={label}>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === chosen}
          onClick={() => onChoose(choice.value)}
        >
          {choice.label}
        </button>
      ))}
    </div>
  );
}
