import { Button, Checkbox, Group } from '@mantine/core';
import type { Column } from '../charts/chart.ts';
import { ChartSettings } from '../charts/chart-settings.tsx';
import { Input, Select, TextArea } from '../parts/input.tsx';
import type { Filter, SavedQuery, Tile } from '../saved/resources.ts';
import * as texts from '../texts/index.ts';
import { chartOfTile } from './tile-content.tsx';

const labels = texts.dashboards.editing;

interface TileSettingsProps {
  tile: Tile;
  query: SavedQuery | undefined;
  filters: readonly Filter[];
  /** Of the rows that it shows. */
  columns: readonly Column[];
  onChange: (part: Partial<Tile>) => void;
  /** Makes a filter for a parameter. */
  onFilter: (filter: Filter) => void;
}

/** What a tile shows, how it is called, and which filters give its parameters their values. */
export function TileSettings({ tile, query, filters, columns, onChange, onFilter }: TileSettingsProps) {
  const { kind, title, text, chart } = tile;
  return (
    <div className="form">
      <Input
        label={labels.tileTitle}
        maxLength={200}
        placeholder={query?.name}
        value={title}
        onChange={({ target }) => onChange({ title: target.value })}
      />
      {kind === 'text' && (
        <TextArea
          label={labels.text}
          isCode
          rows={14}
          maxLength={20_000}
          value={text ?? ''}
          onChange={({ target }) => onChange({ text: target.value })}
        />
      )}
      {query !== undefined && (
        <>
          <Checkbox
            label={labels.ownChart}
            checked={chart !== null}
            onChange={({ target }) => onChange({ chart: target.checked ? chartOfTile(tile, query) : null })}
          />
          {chart !== null && (
            <ChartSettings chart={chart} columns={columns} onChange={(now) => onChange({ chart: now })} />
          )}
          <Bindings {...{ tile, query, filters, onChange, onFilter }} />
        </>
      )}
    </div>
  );
}

type BindingsProps = Omit<TileSettingsProps, 'columns' | 'query'> & { query: SavedQuery };

function Bindings({ tile: { bindings }, query, filters, onChange, onFilter }: BindingsProps) {
  const parameters = Object.entries(query.parameters);
  if (parameters.length === 0) return null;
  const bind = (parameter: string, filter: string) => {
    const { [parameter]: _, ...others } = bindings;
    onChange({ bindings: filter === '' ? others : { ...others, [parameter]: filter } });
  };
  return (
    <section aria-label={labels.bindings}>
      <h3>{labels.bindings}</h3>
      {parameters.map(([name, { type, default: given }]) => (
        <Group key={name} align="end">
          <Select
            label={labels.bind(name)}
            value={bindings[name] ?? ''}
            onChange={({ target }) => bind(name, target.value)}
          >
            <option value="">{labels.unbound}</option>
            {filters.map((filter) => (
              <option key={filter.name} value={filter.name}>
                {filter.label}
              </option>
            ))}
          </Select>
          {!filters.some((filter) => filter.name === name) && (
            <Button
              onClick={() => {
                onFilter({ name, label: name, type, default: given });
                bind(name, name);
              }}
            >
              {labels.newFilter(name)}
            </Button>
          )}
        </Group>
      ))}
    </section>
  );
}
