import { ActionIcon, Menu } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { LogOut, Settings } from 'lucide-react';
import { signOut } from '../session/login.ts';
import { useMe } from '../session/me.ts';
import * as texts from '../texts/index.ts';

/** Who signed in, and the way out. */
export function PersonMenu() {
  const navigate = useNavigate();
  const { data: me } = useMe();
  const name = me?.data.name ?? '';
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon
          variant="default"
          radius="xl"
          aria-label={texts.shell.person(initialsOf(name), name)}
          fz="xs"
        >
          {initialsOf(name)}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{name}</Menu.Label>
        <Menu.Item
          leftSection={<Settings size={14} />}
          onClick={() => void navigate({ to: '/settings/$page', params: { page: 'sessions' } })}
        >
          {texts.shell.sessions}
        </Menu.Item>
        <Menu.Item
          leftSection={<LogOut size={14} />}
          onClick={() => void signOut().then(() => navigate({ to: '/signed-out' }))}
        >
          {texts.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const initialsOf = (name: string): string => {
  const words = name.split(/\s+/).filter((word) => word !== '');
  return [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? '')][0]).join('');
};
