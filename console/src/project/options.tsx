import { useQuery } from '@tanstack/react-query';
import { projectsQuery } from './current.ts';

/** The projects of a choice; the chosen one is among them even where the list has it no more. */
export function ProjectOptions({ chosen }: { chosen: string }) {
  const { data: projects = [] } = useQuery(projectsQuery);
  return (
    <>
      {chosen !== '' && !projects.some(({ id }) => id === chosen) && <option value={chosen}>{chosen}</option>}
      {projects.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </>
  );
}
