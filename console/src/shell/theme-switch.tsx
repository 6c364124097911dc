import { ActionIcon, type MantineColorScheme, Menu, Tooltip } from '@mantine/core';
import { Check, Monitor, Moon, Sun } from 'lucide-react';
import { useTheme } from '../parts/use-theme.ts';
import * as texts from '../texts/index.ts';

const { themes, theme } = texts.shell;
const icons = { auto: Monitor, light: Sun, dark: Moon };

/** Light, dark, or as the system has it. */
export function ThemeSwitch() {
  const { colorScheme, setColorScheme } = useTheme();
  const Chosen = icons[colorScheme];
  return (
    <Menu>
      <Menu.Target>
        <Tooltip label={theme}>
          <ActionIcon aria-label={theme}>
            <Chosen size={16} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {(Object.keys(icons) as MantineColorScheme[]).map((name) => {
          const Icon = icons[name];
          return (
            <Menu.Item
              key={name}
              leftSection={<Icon size={14} />}
              rightSection={name === colorScheme && <Check size={14} />}
              onClick={() => setColorScheme(name)}
            >
              {themes[name]}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
