import { Checkbox, Fieldset, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Unfetched } from '../../../parts/states.tsx';
import * as texts from '../../../texts/index.ts';
import { choicesQuery } from './choices.ts';
import type { Choices } from './members.ts';

const labels = texts.automation.workflows.node;

interface IdsChoiceProps {
  label: string;
  of: Choices;
  projectId: string;
  value: readonly string[];
  fault: string | undefined;
  isEditable: boolean;
  onChange: (ids: string[]) => void;
}

/** Any of the tables or of the datasets, by their names. */
export function IdsChoice({ label, of, projectId, value, fault, isEditable, onChange }: IdsChoiceProps) {
  const asked = useQuery(choicesQuery(of, projectId));
  const faultId = useId();
  const { data } = asked;
  const known = data ?? [];
  // What was named at first can be named again.
  const [first] = useState(value);
  const others = first.filter((id) => !known.some((item) => item.id === id)).map((id) => ({ id, name: id }));
  return (
    <Fieldset
      legend={label}
      disabled={!isEditable}
      aria-describedby={fault === undefined ? undefined : faultId}
    >
      {data?.length === 0 && <Text c="dimmed">{labels.noChoices[of]}</Text>}
      {[...others, ...known].map(({ id, name }) => (
        <Checkbox
          key={id}
          label={name}
          checked={value.includes(id)}
          onChange={({ target }) =>
            onChange(target.checked ? [...value, id] : value.filter((chosen) => chosen !== id))
          }
        />
      ))}
      {fault !== undefined && (
        <Text className="fault" id={faultId}>
          {fault}
        </Text>
      )}
      <Unfetched asked={asked} />
    </Fieldset>
  );
}
