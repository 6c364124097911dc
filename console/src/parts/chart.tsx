import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { parse, View } from 'vega';
import { expressionInterpreter } from 'vega-interpreter';
import { compile, type TopLevelSpec } from 'vega-lite';
import { Scrolls } from './scrolls.tsx';
import { Failure } from './states.tsx';

interface VegaLite {
  mark?: unknown;
  config?: Record<string, object>;
}

interface ChartProps {
  title: string;
  document: VegaLite;
  /** As large as what it is in, instead of a height of its own. */
  fills?: boolean;
}

/** Less is not worth a drawing. */
const least = 24;

const tokenOf = (style: CSSStyleDeclaration, n: number): string =>
  style.getPropertyValue(`--chart-${n}`).trim();

/** The document in the colours of the page, which may be dark, with the values of what one points at. */
function themed(document: VegaLite, style: CSSStyleDeclaration): TopLevelSpec {
  const { color: ink, fontFamily: font } = style;
  const labels = {
    ...{ labelColor: ink, labelFontSize: 11 },
    ...{ titleColor: ink, titleFontSize: 12, titleFontWeight: 500 },
  };
  const { config = {}, mark } = document;
  return {
    ...document,
    mark: typeof mark === 'object' ? { ...mark, tooltip: true } : { type: mark, tooltip: true },
    config: {
      ...config,
      ...{ font, background: 'transparent' },
      view: { stroke: 'transparent', ...config['view'] },
      title: { ...config['title'], color: ink },
      axis: { ...config['axis'], ...labels, gridColor: '#8884', domainColor: '#8888', tickColor: '#8888' },
      legend: { ...config['legend'], ...labels },
      // A document that chose its own colours keeps them.
      mark: { color: tokenOf(style, 1), ...config['mark'] },
      range: { category: [1, 2, 3, 4, 5, 6, 7, 8].map((n) => tokenOf(style, n)), ...config['range'] },
    },
  } as unknown as TopLevelSpec;
}

/** Nothing is fetched for a chart: its data is within. */
const refused = () => Promise.reject(new Error('A chart has its data within.'));
const loader = { load: refused, sanitize: refused, http: refused, file: refused };

/** A chart of a Vega-Lite document. Its expressions are interpreted: the page may not run code from texts. */
export function Chart({ title, document: drawing, fills = false }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [fault, setFault] = useState<Error>();
  const theme = useComputedColorScheme('light');
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has another ink.
  useEffect(() => {
    const element = frame.current!;
    let view: View | undefined;
    setFault(undefined);
    const sizeOf = () => ({
      width: Math.max(least, element.clientWidth),
      height: Math.max(least, element.clientHeight),
    });
    const sized = fills ? { ...sizeOf(), autosize: { type: 'fit', contains: 'padding' } } : {};
    try {
      const { spec } = compile(themed({ ...drawing, ...sized }, getComputedStyle(element)));
      view = new View(parse(spec, undefined, { ast: true }), {
        expr: expressionInterpreter,
        renderer: 'svg',
        container: element,
        hover: true,
        loader,
      });
      view.runAsync().catch(setFault);
    } catch (error) {
      setFault(error as Error);
    }
    const measure = new ResizeObserver(() => {
      const { width, height } = sizeOf();
      if (view === undefined || (view.width() === width && view.height() === height)) return;
      view.width(width).height(height).runAsync().catch(setFault);
    });
    if (fills) measure.observe(element);
    return () => {
      measure.disconnect();
      view?.finalize();
    };
  }, [drawing, theme, fills]);
  return (
    <Scrolls className={fills ? 'chart fills' : 'chart'}>
      {fault !== undefined && <Failure error={fault} />}
      <div role="img" aria-label={title}>
        {/* Its parts have names that say nothing without the picture. */}
        <div ref={frame} aria-hidden />
      </div>
    </Scrolls>
  );
}
