interface OptionsProps {
  of: readonly { id: string; name: string }[];
  chosen: string;
}

/** The options of a choice; the chosen one is among them even where the list does not have it (any more). */
export function Options({ of, chosen }: OptionsProps) {
  return (
    <>
      {chosen !== '' && !of.some(({ id }) => id === chosen) && <option value={chosen}>{chosen}</option>}
      {of.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </>
  );
}
