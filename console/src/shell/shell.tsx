import { Drawer } from '@mantine/core';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { Menu as MenuIcon } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Attaching } from '../intake/attaching.tsx';
import { DropAnywhere } from '../intake/drop-anywhere.tsx';
import { IconButton } from '../parts/icon-button.tsx';
import { useProjectId } from '../project/current.ts';
import * as texts from '../texts/index.ts';
import { useFocus, useHeading } from './arrival.ts';
import { Crumbs } from './crumbs.tsx';
import { Offline } from './offline.tsx';
import { Palette } from './palette.tsx';
import { PersonMenu } from './person-menu.tsx';
import { Side } from './side.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

const foldedKey = 'side-folded';

/** The frame of every page: where one is, who one is, and where one may go. */
export function Shell() {
  const projectId = useProjectId();
  const main = useRef<HTMLElement>(null);
  const heading = useHeading(main);
  useFocus(main);
  const [isFolded, setIsFolded] = useState(() => localStorage.getItem(foldedKey) === 'yes');
  const [isDrawn, setIsDrawn] = useState(false);
  const { pathname } = useRouterState({ select: ({ location }) => location });
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever went somewhere has no more need of the drawer.
  useEffect(() => setIsDrawn(false), [pathname]);
  const fold = () => {
    localStorage.setItem(foldedKey, isFolded ? 'no' : 'yes');
    setIsFolded(!isFolded);
  };
  return (
    <div className="shell" data-folded={isFolded || undefined}>
      <a className="skip" href="#content">
        {texts.parts.skip}
      </a>
      <Side {...{ projectId, pathname, isFolded }} onFold={fold} />
      <Drawer
        opened={isDrawn}
        onClose={() => setIsDrawn(false)}
        size={256}
        title={texts.name}
        closeButtonProps={{ 'aria-label': texts.parts.close }}
      >
        <Side {...{ projectId, pathname }} isFolded={false} />
      </Drawer>
      <div>
        <header className="top">
          <IconButton
            className="narrow-only"
            label={texts.shell.open}
            icon={<MenuIcon size={18} />}
            onClick={() => setIsDrawn(true)}
          />
          <Crumbs {...{ projectId, pathname, heading }} />
          <Palette projectId={projectId} />
          <ThemeSwitch />
          <PersonMenu />
        </header>
        <main ref={main} id="content" tabIndex={-1}>
          <Offline />
          <Attaching />
          <Outlet />
        </main>
      </div>
      <DropAnywhere />
    </div>
  );
}
