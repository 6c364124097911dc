import { useQuery } from '@tanstack/react-query';
import type { Control } from '../parts/field.tsx';
import { Unfetched } from '../parts/states.tsx';
import { projectsQuery } from './current.ts';

interface ProjectSelectProps {
  control: Control;
  /** What stands for no project. */
  none: string;
  chosen: string;
  onChoose: (projectId: string) => void;
}

/** One of the projects, or none; the chosen one is among them even where the list has it no more. */
export function ProjectSelect({ control, none, chosen, onChoose }: ProjectSelectProps) {
  const asked = useQuery(projectsQuery);
  const { data: projects = [] } = asked;
  return (
    <>
      <select {...control} value={chosen} onChange={({ target }) => onChoose(target.value)}>
        <option value="">{none}</option>
        {chosen !== '' && !projects.some(({ id }) => id === chosen) && (
          <option value={chosen}>{chosen}</option>
        )}
        {projects.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <Unfetched asked={asked} />
    </>
  );
}
