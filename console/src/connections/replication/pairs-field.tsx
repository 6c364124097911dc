import { useState } from 'react';
import { Input } from '../../parts/input.tsx';
import * as texts from '../../texts/index.ts';
import { Group } from '../group.tsx';

type Pair = readonly [name: string, value: string];

interface PairsFieldProps {
  title: string;
  hint: string;
  fault: string | undefined;
  value: Readonly<Record<string, string>> | undefined;
  onChange: (value: Record<string, string> | undefined) => void;
}

/** A map from texts to texts; there is always an empty row for one more. */
export function PairsField({ title, hint, fault, value, onChange }: PairsFieldProps) {
  // With those that have no name yet, which are not in the map.
  const [pairs, setPairs] = useState<readonly Pair[]>(() => Object.entries(value ?? {}));
  const change = (at: number, pair: Pair) => {
    const next = [...pairs.slice(0, at), pair, ...pairs.slice(at + 1)];
    setPairs(next);
    const named = next.filter(([name]) => name !== '');
    onChange(named.length === 0 ? undefined : Object.fromEntries(named));
  };
  const names = pairs.map(([name]) => name);
  const twice = names.find((name, at) => name !== '' && names.indexOf(name) < at);
  const said = twice === undefined ? fault : texts.connections.replication.twice(twice);
  return (
    <Group {...{ title, hint }} fault={said}>
      {[...pairs, ['', ''] as Pair].map(([name, text], at) => {
        const labels = texts.connections.replication.pair(title, at + 1);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is what it is by its place.
          <div key={at} className="pair">
            <Input
              aria-label={labels.name}
              placeholder={texts.connections.replication.pairName}
              required={text !== ''}
              value={name}
              onChange={({ target }) => change(at, [target.value, text])}
            />
            <Input
              aria-label={labels.value}
              placeholder={texts.connections.replication.pairValue}
              value={text}
              onChange={({ target }) => change(at, [name, target.value])}
            />
          </div>
        );
      })}
    </Group>
  );
}
