import { useQuery } from '@tanstack/react-query';
import type { Control } from '../parts/field.tsx';
import { Select } from '../parts/input.tsx';
import { Options } from '../parts/options.tsx';
import { Unfetched } from '../parts/states.tsx';
import { projectsQuery } from './current.ts';

interface ProjectSelectProps {
  control: Control;
  /** What stands for no project. */
  none: string;
  chosen: string;
  onChoose: (projectId: string) => void;
}

/** One of the projects, or none. */
export function ProjectSelect({ control, none, chosen, onChoose }: ProjectSelectProps) {
  const asked = useQuery(projectsQuery);
  return (
    <>
      <Select {...control} value={chosen} onChange={({ target }) => onChoose(target.value)}>
        <option value="">{none}</option>
        <Options of={asked.data ?? []} chosen={chosen} />
      </Select>
      <Unfetched asked={asked} />
    </>
  );
}
