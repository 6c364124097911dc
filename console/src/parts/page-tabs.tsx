import { Tabs } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';

export interface Tab {
  /** As it is in the address. */
  name: string;
  title: string;
  content: ReactNode;
  /** What was written in it is not lost while another one is looked at. */
  isKept?: boolean;
}

/** The parts of a page, one at a time. The address says which, and the first is shown without it. */
export function PageTabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const { tab } = useSearch({ strict: false });
  const navigate = useNavigate();
  const shown = (tabs.find(({ name }) => name === tab) ?? tabs[0])?.name;
  const [seen, setSeen] = useState(new Set<string>());
  if (shown !== undefined && !seen.has(shown)) setSeen(new Set([...seen, shown]));
  if (shown === undefined) return null;
  const choose = (name: string | null) =>
    void navigate({
      to: '.',
      search: (before: object) => ({ ...before, tab: name ?? shown }),
      replace: true,
      resetScroll: false,
    });
  return (
    <Tabs value={shown} onChange={choose} keepMounted={false}>
      <Tabs.List aria-label={label} mb="md">
        {tabs.map(({ name, title }) => (
          <Tabs.Tab key={name} value={name}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ name, content, isKept = false }) => (
        <Tabs.Panel key={name} value={name} keepMounted={isKept && seen.has(name)}>
          {content}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
