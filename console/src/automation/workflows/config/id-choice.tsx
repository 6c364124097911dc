import { useQuery } from '@tanstack/react-query';
import type { Control } from '../../../parts/field.tsx';
import { Select } from '../../../parts/input.tsx';
import { Options } from '../../../parts/options.tsx';
import { Unfetched } from '../../../parts/states.tsx';
import * as texts from '../../../texts/index.ts';
import { choicesQuery } from './choices.ts';
import type { Choices } from './members.ts';

const labels = texts.automation.workflows.node;

interface IdChoiceProps {
  control: Control;
  of: Choices;
  projectId: string;
  value: string;
  isEditable: boolean;
  onChange: (id: string) => void;
}

/** One of the project's playbooks, of the tables or of the datasets, by its name. */
export function IdChoice({ control, of, projectId, value, isEditable, onChange }: IdChoiceProps) {
  const asked = useQuery(choicesQuery(of, projectId));
  const { data } = asked;
  return (
    <>
      <Select
        {...control}
        disabled={!isEditable}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      >
        <option value="">{data?.length === 0 ? labels.noChoices[of] : labels.unchosen}</option>
        {/* It may be gone, not to be seen, or a reference to what is known in a run alone. */}
        <Options of={data ?? []} chosen={value} />
      </Select>
      <Unfetched asked={asked} />
    </>
  );
}
