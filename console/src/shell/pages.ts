import { linkOptions } from '@tanstack/react-router';
import * as texts from '../texts/index.ts';

/** Rooms that belong to a project. */
const projectRooms = ['ask', 'reports', 'runs', 'playbooks'] as const;

/** Where one may go, in the order in which it is shown. Without a project its rooms lead to the first one. */
export const pages = (projectId: string | undefined) => [
  { label: texts.pages.data, link: linkOptions({ to: '/' }) },
  { label: texts.pages.query, link: linkOptions({ to: '/query' }) },
  ...projectRooms.map((room) => ({
    label: texts.pages[room],
    link:
      projectId === undefined
        ? linkOptions({ to: '/in-project/$room', params: { room } })
        : linkOptions({ to: `/projects/$projectId/${room}`, params: { projectId } }),
  })),
  { label: texts.pages.connections, link: linkOptions({ to: '/connections' }) },
  { label: texts.pages.settings, link: linkOptions({ to: '/settings' }) },
];

/** Where one may go besides: pages that are reached from others. */
export const furtherPages = (projectId: string | undefined) => [
  { label: texts.pages.schedules, link: linkOptions({ to: '/schedules' }) },
  { label: texts.pages.workflows, link: linkOptions({ to: '/workflows' }) },
  { label: texts.pages.tests, link: linkOptions({ to: '/tests' }) },
  {
    label: texts.pages.bring,
    link:
      projectId === undefined
        ? linkOptions({ to: '/in-project/$room', params: { room: 'import' } })
        : linkOptions({ to: '/projects/$projectId/import', params: { projectId } }),
  },
  {
    label: texts.pages.files,
    link:
      projectId === undefined
        ? linkOptions({ to: '/in-project/$room', params: { room: 'files' } })
        : linkOptions({ to: '/projects/$projectId/files', params: { projectId } }),
  },
];
