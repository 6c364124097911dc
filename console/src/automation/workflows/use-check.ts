import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { workspace } from '../../session/login.ts';
import type { Graph, Workflow } from './graph.ts';

/** A fault of a draft, and the node that it is about. */
export interface NodeFault {
  nodeId: string | undefined;
  /** Within the node or the draft: `config.sql`. */
  place: string;
  msg: string;
}

/** What prevents the activation of the draft at this revision, as the service sees it. */
export function useCheck({ id, revision }: Workflow, graph: Graph | undefined) {
  return useQuery({
    queryKey: ['workflow-check', id, revision],
    queryFn: async () => {
      const { data } = await workspace.post('/v1/workflows/{workflow_id}/validate', {
        params: { path: { workflow_id: id } },
      });
      const placed = ({ loc, msg }: { loc: (string | number)[]; msg: string }): NodeFault => {
        const [, part, nodes, index, ...rest] = loc;
        const node = part === 'graph' && nodes === 'nodes' ? graph?.nodes[Number(index)] : undefined;
        return { nodeId: node?.id, place: (node === undefined ? loc.slice(1) : rest).join('.'), msg };
      };
      return data.faults.map(placed);
    },
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
