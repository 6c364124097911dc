import { lazy, Suspense } from 'react';
import { Loading } from './states.tsx';

/** Parts that are large, and are fetched when the first of them is shown. */
const LazyChart = lazy(async () => ({ default: (await import('./chart.tsx')).Chart }));
const LazyMarkdown = lazy(async () => ({ default: (await import('./markdown.tsx')).MarkdownText }));

export const Chart = (props: Parameters<typeof LazyChart>[0]) => (
  <Suspense fallback={<Loading />}>
    <LazyChart {...props} />
  </Suspense>
);

/** Until it can be shown as it is meant, the text as it is. */
export const Markdown = ({ text }: { text: string }) => (
  <Suspense fallback={<p className="pre">{text}</p>}>
    <LazyMarkdown text={text} />
  </Suspense>
);
