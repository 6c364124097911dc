import { currentDefinitions } from '../../domain/tables/definition-analyses/analyses.ts';
import {
  type CatalogContent,
  catalogContent,
  type ViewColumns,
} from '../../domain/tables/query/postgres/content.ts';
import type { ApiDeps } from '../deps.ts';
import type { SessionCaller } from './sign-in.ts';

/** A client asks several questions about the catalog, one after the other. */
const freshMs = 2_000;

/** What a caller can read, as a catalog shows it. */
export function rememberContent(
  deps: ApiDeps,
  { organizationId, id }: SessionCaller,
): () => Promise<CatalogContent> {
  let known: { content: Promise<CatalogContent>; untilMs: number } | undefined;
  return () => {
    if (known !== undefined && known.untilMs > performance.now()) return known.content;
    const content = catalogContent({ ...deps, viewColumns: viewColumns(deps) }, organizationId, id);
    known = { content, untilMs: performance.now() + freshMs };
    content.catch(() => {
      known = undefined;
    });
    return content;
  };
}

const viewColumns =
  (deps: ApiDeps): ViewColumns =>
  async (organizationId, ids) => {
    const { analyzed, defined } = await currentDefinitions(deps, organizationId, ids);
    return new Map(
      [...analyzed].map(([id, each]) => {
        const definition = defined.get(id)?.query ?? '';
        return [id, { definition, columns: 'failure' in each ? [] : each.columns }] as const;
      }),
    );
  };
