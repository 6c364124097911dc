import { type ReactNode, useMemo } from 'react';
import { Panel } from '../parts/panel.tsx';
import { useProjectId } from '../project/current.ts';
import { WithProject } from '../project/with-project.tsx';
import { AddToDashboard } from '../saved/add-to-dashboard.tsx';
import { parametersNow, withValues } from '../saved/parameter.ts';
import type { SavedQuery } from '../saved/resources.ts';
import * as texts from '../texts/index.ts';
import { ExportAnswer } from './export-answer.tsx';
import { Exports } from './exports.tsx';
import { History } from './history.tsx';
import { KeepQuery } from './keep-query.tsx';
import { KeepStatement } from './keep-statement.tsx';
import { SavedQueries } from './saved-queries.tsx';
import type { Sheet } from './sheets.ts';

const labels = texts.query;

/** What there is besides the editor and the rows. */
export type Place = 'keep' | 'add' | 'export' | 'view' | 'calc' | 'saved' | 'history' | 'exports';

interface PanelsProps {
  open: Place | undefined;
  onClose: () => void;
  sheet: Sheet;
  /** What is shown: the one that was chosen, or the guessed one. */
  source: Pick<Sheet, 'chart'>;
  onChange: (part: Partial<Sheet>) => void;
  onSaved: (saved: SavedQuery) => void;
}

/** What one does with a statement, and the statements that there are: each in a panel. */
export function Panels({ open, onClose, sheet, source, onChange, onSaved }: PanelsProps) {
  const current = useProjectId();
  const projectId = sheet.saved?.projectId ?? current;
  const parameters = parametersNow(sheet.sql, sheet.parameters);
  const sql = withValues(sheet.sql, parameters, sheet.typed);
  const hasParameters = Object.keys(parameters).length > 0;
  const ofProject = (draw: (projectId: string) => ReactNode) =>
    projectId === undefined ? <WithProject /> : draw(projectId);
  const { saved } = sheet;
  const { chart } = source;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the parameters are those of the statement.
  const added = useMemo(
    () => ({
      ...{ sql: sheet.sql, parameters, chart },
      ...(saved?.sql === sheet.sql ? { id: saved.id } : {}),
    }),
    [sheet.sql, sheet.parameters, saved, chart],
  );
  const name = sheet.saved?.name ?? '';
  const panel = (place: Place, title: string, children: ReactNode) => (
    <Panel
      key={`${place} ${place === 'saved' || place === 'history' || place === 'exports' ? '' : sheet.id}`}
      title={title}
      isOpen={open === place}
      onClose={onClose}
    >
      {children}
    </Panel>
  );
  return (
    <>
      {panel(
        'keep',
        labels.keep,
        ofProject((project) => (
          <KeepQuery
            key={sheet.saved?.id ?? ''}
            projectId={project}
            sheet={{ ...sheet, ...source }}
            onChange={onChange}
            onSaved={onSaved}
          />
        )),
      )}
      {panel(
        'add',
        texts.saved.add.title,
        ofProject((project) => <AddToDashboard key={name} projectId={project} name={name} source={added} />),
      )}
      {panel('export', labels.export.title, <ExportAnswer sql={sql} />)}
      {panel('view', labels.save.view, <KeepStatement kind="view" {...{ sql, hasParameters }} />)}
      {panel('calc', labels.save.calc, <KeepStatement kind="calc" {...{ sql, hasParameters }} />)}
      {panel(
        'saved',
        labels.saved.title,
        ofProject((project) => <SavedQueries projectId={project} onChosen={onClose} />),
      )}
      {panel('history', labels.history.title, <History onChosen={onClose} />)}
      {panel('exports', labels.exports.title, <Exports />)}
    </>
  );
}
