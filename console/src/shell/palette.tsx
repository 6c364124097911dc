import { Button, Kbd, Modal, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Search as SearchIcon } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react';
import { tablesQuery } from '../data/tables.ts';
import { IconButton } from '../parts/icon-button.tsx';
import { Input } from '../parts/input.tsx';
import { Unfetched } from '../parts/states.tsx';
import { switchOrganization } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { furtherPages, pages } from './pages.ts';
import { useNamed } from './use-named.ts';

interface Choice {
  key: string;
  label: string;
  kind: string;
  go: () => void;
}

const labels = texts.palette;
const maxShown = 12;
const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Leads anywhere: to pages, tables, and what else has a name, found by it. Ctrl+K opens it, or the button. */
export function Palette({ projectId }: { projectId: string | undefined }) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setIsOpen(true);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return (
    <>
      <Button
        className="wide-only"
        c="dimmed"
        fw={400}
        aria-keyshortcuts="Control+K"
        leftSection={<SearchIcon size={14} />}
        rightSection={
          <Kbd size="xs" aria-hidden>
            {isMac ? '⌘K' : 'Ctrl K'}
          </Kbd>
        }
        onClick={() => setIsOpen(true)}
      >
        {labels.open}
      </Button>
      <IconButton
        className="narrow-only"
        label={labels.open}
        icon={<SearchIcon size={16} />}
        onClick={() => setIsOpen(true)}
      />
      <Modal
        opened={isOpen}
        onClose={close}
        withCloseButton={false}
        centered={false}
        yOffset="12vh"
        size={560}
        attributes={{ content: { 'aria-label': labels.title } }}
      >
        <Search projectId={projectId} onChosen={close} />
      </Modal>
    </>
  );
}

function Search({ projectId, onChosen }: { projectId: string | undefined; onChosen: () => void }) {
  const id = useId();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const { choices, tables, isLoading } = useChoices(projectId);
  const found = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/);
    return choices
      .filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
      .slice(0, maxShown);
  }, [choices, text]);
  const choose = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    onChosen();
    choice.go();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) setAt((at + step + found.length) % Math.max(1, found.length));
    else if (event.key === 'Enter') choose(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <Input
        type="search"
        role="combobox"
        aria-label={labels.label}
        aria-expanded={found.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length > 0 ? `${id}-${at}` : undefined}
        placeholder={labels.label}
        data-autofocus
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-list`} role="listbox" aria-label={labels.title} className="choices">
        {found.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keyboard.
          // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant names its options.
          <div
            key={choice.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => choose(choice)}
          >
            <span>{choice.label}</span>{' '}
            <Text span c="dimmed">
              {choice.kind}
            </Text>
          </div>
        ))}
      </div>
      <Unfetched asked={tables} />
      {found.length === 0 && !isLoading && tables.data !== undefined && <p role="status">{labels.none}</p>}
    </>
  );
}

function useChoices(projectId: string | undefined) {
  const navigate = useNavigate();
  const tables = useQuery(tablesQuery);
  const { named, isLoading } = useNamed(projectId);
  const choices = useMemo(
    () => [
      ...[...pages(projectId), ...furtherPages(projectId)].map(
        ({ label, link }): Choice => ({
          key: label,
          label,
          kind: labels.page,
          go: () => void navigate(link),
        }),
      ),
      { key: 'switch', label: texts.switchOrganization, kind: labels.page, go: switchOrganization },
      ...(tables.data ?? []).map(
        ({ id, name, kind }): Choice => ({
          key: id,
          label: name,
          kind: texts.data.kinds[kind],
          go: () => void navigate({ to: '/tables/$tableId', params: { tableId: id } }),
        }),
      ),
      ...named.map(
        ({ id, label, kind, link }): Choice => ({ key: id, label, kind, go: () => void navigate(link) }),
      ),
    ],
    [projectId, tables.data, named, navigate],
  );
  return { choices, tables, isLoading };
}
