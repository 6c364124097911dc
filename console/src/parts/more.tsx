import { ActionIcon, Menu } from '@mantine/core';
import { Ellipsis } from 'lucide-react';
import { createContext, type ReactNode } from 'react';
import * as texts from '../texts/index.ts';

/** Whether a part is an item of a menu. */
export const InMenu = createContext(false);

/**
 * What is seldom done: a menu behind three dots, with actions and items of the library in it. It is drawn while it is
 * closed too, since what an action asks or fails of is part of it.
 */
export const More = ({
  label = texts.parts.moreActions,
  children,
}: {
  label?: string;
  children: ReactNode;
}) => (
  <Menu keepMounted keepMountedMode="display-none">
    <Menu.Target>
      <ActionIcon aria-label={label}>
        <Ellipsis size={16} />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      <InMenu value={true}>{children}</InMenu>
    </Menu.Dropdown>
  </Menu>
);
