import { useQuery } from '@tanstack/react-query';
import { Rows } from '../rows.tsx';
import { type Catalog, isView } from '../subject.ts';
import { ColumnHead } from './column-head.tsx';
import { type ExploredColumn, isNothing, statementOf } from './exploration.ts';
import { ExploredRows, exploredRows } from './explored-rows.tsx';
import { SmallSpread, useSpreads } from './spread.tsx';
import { Toolbar } from './toolbar.tsx';
import { useExploration } from './use-exploration.ts';

interface ExploreProps {
  id: string;
  catalog: Catalog;
  version: number | undefined;
}

/** The rows of a table or a view, which are sorted, filtered, grouped and counted by clicking. */
export function Explore({ id, catalog, version }: ExploreProps) {
  const [chosen, change] = useExploration();
  const { columns } = catalog;
  const statement = statementOf(catalog.qualifiedName, columns, chosen);
  const isPlain = isNothing(chosen);
  const { data: answer } = useQuery({
    ...exploredRows({ id, version, statement }),
    enabled: !isPlain,
  });
  const spreads = useSpreads(id, !isView(id));
  const head = (column: ExploredColumn) => {
    const spread = isPlain ? spreads.get(column.name) : undefined;
    return (
      <>
        <ColumnHead {...{ column, columns, change }} />
        {spread !== undefined && <SmallSpread column={spread} rows={catalog.rowCount ?? 0} />}
      </>
    );
  };
  return (
    <>
      <Toolbar {...{ columns, chosen, change, statement }} shown={answer?.columns ?? columns} />
      {isPlain ? (
        <Rows {...{ id, catalog, version, head }} />
      ) : (
        <ExploredRows {...{ id, version, statement, chosen, head }} />
      )}
    </>
  );
}
