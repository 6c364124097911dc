import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { tablesQuery } from '../data/tables.ts';
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

/** Leads anywhere: to pages, tables, and what else has a name, found by it. Ctrl+K opens it, or the button. */
export function Palette({ projectId }: { projectId: string | undefined }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const open = useCallback(() => {
    setIsOpen(true);
    if (dialog.current?.open === false) dialog.current.showModal();
  }, []);
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [open]);
  return (
    <>
      <button type="button" className="plain" aria-keyshortcuts="Control+K" onClick={open}>
        {labels.open}
      </button>
      <dialog ref={dialog} className="palette" aria-label={labels.title} onClose={() => setIsOpen(false)}>
        {isOpen && <Search projectId={projectId} onChosen={() => dialog.current?.close()} />}
      </dialog>
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
      <input
        type="search"
        role="combobox"
        aria-label={labels.label}
        aria-expanded={found.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length > 0 ? `${id}-${at}` : undefined}
        placeholder={labels.label}
        // biome-ignore lint/a11y/noAutofocus: the dialog was opened to type into it.
        autoFocus
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
            {choice.label} <span className="hint">{choice.kind}</span>
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
