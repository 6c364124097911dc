import { currentDefinitions } from '../../domain/tables/definition-analyses/analyses.ts';
import { type CatalogContent, catalogContent } from '../../domain/tables/query/postgres/content.ts';
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

const viewColumns = (deps: ApiDeps) => async (organizationId: string, ids: readonly string[]) => {
  const { analyzed } = await currentDefinitions(deps, organizationId, ids);
  return new Map(
    [...analyzed].flatMap(([id, each]) => ('failure' in each ? [] : [[id, each.columns] as const])),
  );
};
