import { lazy, Suspense } from 'react';
import { Loading } from '../../parts/states.tsx';
import type { GraphViewProps } from './boxes.ts';

/** The drawing of graphs is large, and is fetched when the first of them is shown. */
const LazyGraph = lazy(async () => ({ default: (await import('./graph-view.tsx')).GraphView }));

export const GraphDrawing = (props: GraphViewProps) => (
  <Suspense
    fallback={
      <div className="graph">
        <Loading />
      </div>
    }
  >
    <LazyGraph {...props} />
  </Suspense>
);
