import { linkOptions } from '@tanstack/react-router';
import {
  Cable,
  FileChartColumn,
  History,
  House,
  LayoutDashboard,
  type LucideIcon,
  RefreshCw,
  Settings,
  Sparkles,
  SquareTerminal,
  Table2,
} from 'lucide-react';
import * as texts from '../texts/index.ts';

type Room = 'ask' | 'dashboards' | 'reports' | 'runs' | 'playbooks' | 'import' | 'files';

/** A room of a project. Without a project it leads to the first one. */
const roomOf = (projectId: string | undefined, room: Room) =>
  projectId === undefined
    ? linkOptions({ to: '/in-project/$room', params: { room } })
    : linkOptions({ to: `/projects/$projectId/${room}`, params: { projectId } });

/** An entry of the side bar; `has` says which addresses are within it. */
const entry = <Link>(label: string, icon: LucideIcon, has: RegExp, link: Link) => ({
  label,
  icon,
  has,
  link,
});

/** Where one may go, in the order in which it is shown. */
export const pages = (projectId: string | undefined) => [
  entry(texts.pages.home, House, /^\/$/, linkOptions({ to: '/' })),
  entry(
    texts.pages.data,
    Table2,
    /^\/(data|tables|tests|projects\/[^/]+\/(import|files))/,
    linkOptions({ to: '/data' }),
  ),
  entry(texts.pages.query, SquareTerminal, /^\/query/, linkOptions({ to: '/query' })),
  entry(texts.pages.ask, Sparkles, /^\/projects\/[^/]+\/ask/, roomOf(projectId, 'ask')),
  entry(
    texts.pages.dashboards,
    LayoutDashboard,
    /^\/projects\/[^/]+\/dashboards/,
    roomOf(projectId, 'dashboards'),
  ),
  entry(texts.pages.reports, FileChartColumn, /^\/projects\/[^/]+\/reports/, roomOf(projectId, 'reports')),
  entry(
    texts.pages.playbooks,
    RefreshCw,
    /^\/(schedules|workflows|projects\/[^/]+\/playbooks)/,
    roomOf(projectId, 'playbooks'),
  ),
  entry(texts.pages.connections, Cable, /^\/(app-)?connections/, linkOptions({ to: '/connections' })),
  entry(texts.pages.runs, History, /^\/projects\/[^/]+\/runs/, roomOf(projectId, 'runs')),
  entry(texts.pages.settings, Settings, /^\/settings/, linkOptions({ to: '/settings' })),
];

/** Where one may go besides: pages that are reached from others. */
export const furtherPages = (projectId: string | undefined) => [
  { label: texts.pages.schedules, link: linkOptions({ to: '/schedules' }) },
  { label: texts.pages.workflows, link: linkOptions({ to: '/workflows' }) },
  { label: texts.pages.tests, link: linkOptions({ to: '/tests' }) },
  { label: texts.pages.bring, link: roomOf(projectId, 'import') },
  { label: texts.pages.files, link: roomOf(projectId, 'files') },
];
