import { Link } from '@tanstack/react-router';
import { useProjectId } from '../project/current.ts';
import * as texts from '../texts/index.ts';

const { nav } = texts.automation;

/** The way between the lists of what runs by itself. */
export function AutomationNav() {
  const projectId = useProjectId();
  return (
    <nav className="tabs" aria-label={nav.label}>
      {projectId === undefined ? (
        <Link to="/in-project/$room" params={{ room: 'playbooks' }}>
          {nav.playbooks}
        </Link>
      ) : (
        <Link to="/projects/$projectId/playbooks" params={{ projectId }}>
          {nav.playbooks}
        </Link>
      )}
      <Link to="/schedules">{nav.schedules}</Link>
      <Link to="/workflows">{nav.workflows}</Link>
    </nav>
  );
}
