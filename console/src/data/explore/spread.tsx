import { useQuery } from '@tanstack/react-query';
import type { components } from '../../../../clients/typescript/src/index.ts';
import { cellText } from '../../parts/value.ts';
import * as texts from '../../texts/index.ts';
import { profileOf } from '../profile.tsx';

type Profiled = components['schemas']['TableProfile']['columns'][number];

const [width, height] = [72, 14];

/** The profile of a table, by column; none where it has not been profiled. */
export function useSpreads(tableId: string, isAsked: boolean): ReadonlyMap<string, Profiled> {
  const { data } = useQuery({ ...profileOf(tableId), enabled: isAsked });
  return new Map((data?.profile?.columns ?? []).map((column) => [column.name, column]));
}

/** How the values of a column are spread, small enough for its head. The profile says the same in words. */
export function SmallSpread({ column: { histogram, top }, rows }: { column: Profiled; rows: number }) {
  if (histogram.length > 1) {
    const most = Math.max(...histogram.map(({ count }) => count), 1);
    const step = width / histogram.length;
    return (
      <svg className="spread" width={width} height={height} aria-hidden="true">
        {histogram.map(({ from, count }, at) => (
          <rect
            key={cellText(from)}
            className="bar"
            x={at * step}
            width={Math.max(1, step - 1)}
            y={height - (count / most) * height}
            height={(count / most) * height}
          />
        ))}
      </svg>
    );
  }
  const [first] = top;
  if (first === undefined || rows === 0) return null;
  const share = (first.count / rows).toLocaleString(undefined, { style: 'percent' });
  return (
    <span className="spread" aria-hidden="true">
      {texts.explore.share(cellText(first.value).slice(0, 24), share)}
    </span>
  );
}
