import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { BookMarked, FileDown, History as HistoryIcon, Table2 } from 'lucide-react';
import { lazy, Suspense, useMemo, useRef, useState } from 'react';
import { guessed, rowsOf } from '../charts/chart.ts';
import { Form } from '../parts/form.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Panel } from '../parts/panel.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import * as texts from '../texts/index.ts';
import { Answer, type View } from './answer.tsx';
import { ChangeStatement } from './change-statement.tsx';
import { placeOf } from './fault.ts';
import { OpenSaved } from './open-saved.tsx';
import { Panels, type Place } from './panels.tsx';
import { ParameterBar } from './parameters.tsx';
import { schemaQuery } from './schema.ts';
import { SheetTabs } from './sheet-tabs.tsx';
import { type Sheet, useSheets } from './sheets.ts';
import { TablesSide } from './tables-side.tsx';
import { Toolbar } from './toolbar.tsx';
import { useOpened } from './use-opened.ts';
import { useRuns } from './use-runs.ts';

const Editor = lazy(async () => ({ default: (await import('./editor.tsx')).Editor }));

const labels = texts.query;
const none = {};

/** Statements and their rows, with the tables that there are beside them. */
export function QueryPage() {
  const sheets = useSheets();
  const opened = useOpened(sheets);
  const { runs, run, stop } = useRuns();
  const { data: schema = none } = useQuery(schemaQuery);
  const [view, setView] = useState<View>('rows');
  const [place, setPlace] = useState<Place | 'tables'>();
  const insert = useRef<(text: string) => void>(undefined);
  const { active: sheet } = sheets;
  const { id, sql, chart } = sheet;
  // What was run on this sheet is of another statement once the address put another one here.
  const ran = sheet.ran === undefined ? undefined : runs[id];
  const { answer, error, isPending = false } = ran ?? {};
  const change = (part: Partial<Sheet>) => sheets.change(id, part);
  const start = () => {
    if (isPending || sql.trim() === '') return;
    change({ ran: sql });
    opened.tell(sheet);
    void run(sheet);
  };
  const fault = useMemo(() => {
    const found = error !== undefined && ran?.sql === sql ? placeOf(sql, error.message) : undefined;
    return found && { ...found, message: error!.message };
  }, [error, ran?.sql, sql]);
  const source = useMemo(
    () => ({ chart: chart ?? (answer === undefined ? null : guessed(rowsOf(answer))) }),
    [chart, answer],
  );
  const write = (text: string) => {
    setPlace(undefined);
    insert.current?.(text);
  };
  return (
    <>
      <PageHead title={texts.pages.query}>
        <Button
          variant="subtle"
          className="narrow-only"
          leftSection={<Table2 size={14} />}
          onClick={() => setPlace('tables')}
        >
          {labels.tables.show}
        </Button>
        <Button variant="subtle" leftSection={<BookMarked size={14} />} onClick={() => setPlace('saved')}>
          {labels.saved.title}
        </Button>
        <Button variant="subtle" leftSection={<HistoryIcon size={14} />} onClick={() => setPlace('history')}>
          {labels.history.title}
        </Button>
        <Button variant="subtle" leftSection={<FileDown size={14} />} onClick={() => setPlace('exports')}>
          {labels.exports.title}
        </Button>
      </PageHead>
      <OpenSaved onOpen={opened.openSaved} />
      <div className="query">
        <aside className="wide-only" aria-label={labels.tables.title}>
          <TablesSide onInsert={write} />
        </aside>
        <div>
          <SheetTabs
            all={sheets.all}
            active={id}
            onActivate={opened.show}
            onAdd={() => opened.leave(sheets.add)}
            onClose={(closed) => {
              stop(closed);
              if (closed === id) opened.leave(() => sheets.close(closed));
              else sheets.close(closed);
            }}
          />
          <Form isWide onSubmit={start}>
            <Suspense fallback={<Loading />}>
              <Editor
                key={id}
                label={labels.label}
                description={labels.hint}
                value={sql}
                onChange={(text) => change({ sql: text })}
                onRun={start}
                {...{ schema, fault, insert }}
              />
            </Suspense>
            <ParameterBar sheet={sheet} onChange={change} />
            <Toolbar
              isPending={isPending}
              isEmpty={sql.trim() === ''}
              onStop={() => stop(id)}
              onOpen={setPlace}
            />
          </Form>
          {sheet.changed !== undefined && <ChangeStatement changed={sheet.changed} sql={sql} />}
          {isPending && <Loading />}
          {error !== undefined && <Failure error={error} />}
          {answer !== undefined && (
            <Answer
              key={answer.id}
              answer={answer}
              sql={ran!.sql}
              isOther={ran!.sql !== sql}
              {...{ view, chart }}
              onView={setView}
              onChart={(now) => change({ chart: now })}
            />
          )}
          {ran === undefined && <p className="empty">{labels.before}</p>}
        </div>
      </div>
      <Panel title={labels.tables.title} isOpen={place === 'tables'} onClose={() => setPlace(undefined)}>
        <TablesSide onInsert={write} />
      </Panel>
      <Panels
        open={place === 'tables' ? undefined : place}
        onClose={() => setPlace(undefined)}
        {...{ sheet, source }}
        onChange={change}
        onSaved={(saved) => {
          setPlace(undefined);
          opened.tell({ ...sheet, saved });
        }}
      />
    </>
  );
}
