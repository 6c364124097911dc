import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useMemo, useState } from 'react';
import { catalogsQuery } from '../data/catalogs.ts';
import { Input } from '../parts/input.tsx';
import { Fetched } from '../parts/states.tsx';
import * as texts from '../texts/index.ts';
import { written } from './dialect.ts';

const labels = texts.query.tables;
const maxShown = 200;
type Catalogs = Awaited<ReturnType<typeof catalogsQuery.queryFn>>;

/** Tables and views with their columns, found by either. A click writes the name into the statement. */
export function TablesSide({ onInsert }: { onInsert: (text: string) => void }) {
  const asked = useQuery({ ...catalogsQuery, staleTime: 60_000 });
  return (
    <section className="tables-side" aria-label={labels.title}>
      <Fetched asked={asked}>{(catalogs) => <Found {...{ catalogs, onInsert }} />}</Fetched>
    </section>
  );
}

function Found({ catalogs, onInsert }: { catalogs: Catalogs; onInsert: (text: string) => void }) {
  const [text, setText] = useState('');
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const all = useMemo(
    () => [...catalogs.tables, ...catalogs.views].sort((a, b) => a.name.localeCompare(b.name)),
    [catalogs],
  );
  const sought = text.trim().toLowerCase();
  const found = all.flatMap((table) => {
    const isNamed = table.name.toLowerCase().includes(sought);
    const columns = isNamed
      ? table.columns
      : table.columns.filter(({ name }) => name.toLowerCase().includes(sought));
    return isNamed || columns.length > 0 ? [{ ...table, columns, isNamed }] : [];
  });
  const toggle = (name: string) =>
    setOpened((now) => new Set(now.has(name) ? [...now].filter((one) => one !== name) : [...now, name]));
  return (
    <>
      <Input
        type="search"
        aria-label={labels.search}
        placeholder={labels.search}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {all.length === 0 && <p className="empty">{labels.empty}</p>}
      {all.length > 0 && found.length === 0 && <p className="empty">{labels.none(text.trim())}</p>}
      <ul className="plain">
        {found.slice(0, maxShown).map(({ name, columns, isNamed }) => {
          const isOpen = opened.has(name) || (sought !== '' && !isNamed);
          const Chevron = isOpen ? ChevronDown : ChevronRight;
          return (
            <li key={name}>
              <div className="table-row">
                <UnstyledButton
                  aria-label={labels.columns(name)}
                  aria-expanded={isOpen}
                  onClick={() => toggle(name)}
                >
                  <Chevron size={14} />
                </UnstyledButton>
                <UnstyledButton title={labels.insert(name)} onClick={() => onInsert(written(name))}>
                  {name}
                </UnstyledButton>
              </div>
              {isOpen && (
                <ul className="plain columns">
                  {columns.map((column) => (
                    <li key={column.name}>
                      <UnstyledButton
                        title={labels.insert(column.name)}
                        onClick={() => onInsert(written(column.name))}
                      >
                        <span>{column.name}</span>
                        <span className="type">{column.dataType}</span>
                      </UnstyledButton>
                    </li>
                  ))}
                </ul>
              )}
            </li>
          );
        })}
      </ul>
      {found.length > maxShown && <p className="empty">{texts.data.more(found.length - maxShown)}</p>}
    </>
  );
}
