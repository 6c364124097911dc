import { Menu, Tooltip, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Building2, ChevronsUpDown, PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { ProjectChoice } from '../project/choice.tsx';
import { switchOrganization, workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { pages } from './pages.ts';

interface SideProps {
  projectId: string | undefined;
  pathname: string;
  isFolded: boolean;
  /** Undefined in the drawer, which is closed instead. */
  onFold?: () => void;
}

/** Where one may go, under the organization and the project in which one is. Folded, it has the icons alone. */
export function Side({ projectId, pathname, isFolded, onFold }: SideProps) {
  const fold = isFolded ? texts.shell.unfold : texts.shell.fold;
  return (
    <aside className="side" aria-label={texts.shell.side}>
      <Organization isFolded={isFolded} />
      {!isFolded && <ProjectChoice projectId={projectId} />}
      <nav aria-label={texts.name}>
        {pages(projectId).map(({ label, icon: Icon, has, link }) => (
          <Tooltip key={label} label={label} position="right" disabled={!isFolded}>
            <Link
              className="side-row"
              {...link}
              aria-label={label}
              aria-current={has.test(pathname) ? 'page' : undefined}
            >
              <Icon size={16} aria-hidden />
              {!isFolded && <span>{label}</span>}
            </Link>
          </Tooltip>
        ))}
      </nav>
      {onFold !== undefined && (
        <Tooltip label={fold} position="right">
          <UnstyledButton className="side-row" aria-label={fold} onClick={onFold}>
            {isFolded ? <PanelLeftOpen size={16} /> : <PanelLeftClose size={16} />}
          </UnstyledButton>
        </Tooltip>
      )}
    </aside>
  );
}

/** The organization, and the way to another one. */
function Organization({ isFolded }: { isFolded: boolean }) {
  const { data } = useQuery({
    queryKey: ['organization'],
    queryFn: () => workspace.get('/v1/organization'),
  });
  const name = data?.data.name ?? texts.name;
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <UnstyledButton className="side-row organization" aria-label={isFolded ? name : undefined}>
          <span className="mark" aria-hidden>
            {[...name][0]?.toUpperCase()}
          </span>
          {!isFolded && (
            <>
              <span>{name}</span>
              <ChevronsUpDown size={14} aria-hidden />
            </>
          )}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Building2 size={14} />} onClick={switchOrganization}>
          {texts.switchOrganization}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
