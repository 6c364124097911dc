import type { LineageEdge, LineageNode } from '../../../domain/tables/lineage/graph.ts';
import type { Lineage } from '../../../domain/tables/lineage/lineage.ts';

const producer = 'urn:analytics-workspace';
const specification = 'https://openlineage.io/spec';
const facetSchemas = {
  columnLineage: `${specification}/facets/1-2-0/ColumnLineageDatasetFacet.json#/$defs/ColumnLineageDatasetFacet`,
  schema: `${specification}/facets/1-2-0/SchemaDatasetFacet.json#/$defs/SchemaDatasetFacet`,
  jobType: `${specification}/facets/2-0-4/JobTypeJobFacet.json#/$defs/JobTypeJobFacet`,
  sql: `${specification}/facets/1-1-0/SQLJobFacet.json#/$defs/SQLJobFacet`,
};

/** What makes a table or view: a job in OpenLineage's terms. */
interface Job {
  jobType: 'VIEW' | 'CALCULATED_TABLE' | 'IMPORT' | 'SNAPSHOT';
  name: string;
  inputs: LineageEdge[];
  output: LineageNode;
}

/**
 * A static job event for each view, calculated table, import and dataset of a graph. Reports and workflows
 * are no datasets, and have none.
 */
export function openLineageEvents(lineage: Lineage, organizationId: string, at: Date): object[] {
  const namespace = `workspace://${organizationId}`;
  const nodes = new Map(lineage.nodes.map((node) => [node.id, node]));
  const datasetOf = (node: LineageNode) => ({ namespace, name: datasetName(node) });
  return jobsOf(lineage, nodes).map((job) => ({
    eventTime: at.toISOString(),
    producer,
    schemaURL: `${specification}/2-0-2/OpenLineage.json#/$defs/JobEvent`,
    job: { namespace, name: job.name, facets: jobFacets(job, lineage.queries.get(job.output.id)) },
    inputs: job.inputs.map(({ from }) => datasetOf(nodes.get(from)!)),
    outputs: [
      {
        ...datasetOf(job.output),
        facets: {
          schema: facet('schema', {
            fields: (lineage.columns.get(job.output.id) ?? []).map(({ name, dataType }) => ({
              name,
              type: dataType,
            })),
          }),
          columnLineage: facet('columnLineage', {
            fields: columnFields(job.inputs, (id) => datasetOf(nodes.get(id)!)),
          }),
        },
      },
    ],
  }));
}

function jobsOf({ nodes, edges }: Lineage, byId: ReadonlyMap<string, LineageNode>): Job[] {
  const into = Map.groupBy(edges, ({ to }) => to);
  return nodes.flatMap((output): Job[] => {
    const inputs = into.get(output.id) ?? [];
    const from = (kind: LineageNode['kind']) => inputs.filter((edge) => byId.get(edge.from)?.kind === kind);
    if (output.kind === 'view') return [{ jobType: 'VIEW', name: `views/${output.id}`, inputs, output }];
    if (output.kind !== 'table') return [];
    if (output.tableKind === 'calc')
      return [{ jobType: 'CALCULATED_TABLE', name: `calculated-tables/${output.id}`, inputs, output }];
    const files = from('file');
    return [
      ...(files.length === 0
        ? []
        : [{ jobType: 'IMPORT' as const, name: `imports/${output.id}`, inputs: files, output }]),
      ...from('dataset').map((edge) => ({
        jobType: 'SNAPSHOT' as const,
        name: `snapshots/${edge.from}`,
        inputs: [edge],
        output,
      })),
    ];
  });
}

/** Tables and views by the names that statements use; ids set files and datasets of equal names apart. */
function datasetName({ id, kind, name }: LineageNode): string {
  if (kind === 'table' || kind === 'view') return `lake.main.${name}`;
  return `${kind}s/${id}/${name}`;
}

function jobFacets({ jobType }: Job, query: string | undefined) {
  const type = facet('jobType', { processingType: 'BATCH', integration: 'WORKSPACE', jobType });
  return query === undefined ? { jobType: type } : { jobType: type, sql: facet('sql', { query }) };
}

const facet = <T extends object>(name: keyof typeof facetSchemas, content: T) => ({
  _producer: producer,
  _schemaURL: facetSchemas[name],
  ...content,
});

interface InputField {
  namespace: string;
  name: string;
  field: string;
  transformations: { type: string; subtype: string }[];
}

/** By column of the output, each column that affects it once, with all ways in which it does. */
function columnFields(
  inputs: readonly LineageEdge[],
  datasetOf: (id: string) => { namespace: string; name: string },
): Record<string, { inputFields: InputField[] }> {
  const fields = new Map<string, Map<string, InputField>>();
  for (const { from, columns } of inputs)
    for (const { from: field, to, type, subtype } of columns) {
      const known = fields.get(to) ?? new Map<string, InputField>();
      fields.set(to, known);
      const key = `${from} ${field}`;
      const input = known.get(key) ?? { ...datasetOf(from), field, transformations: [] };
      known.set(key, input);
      input.transformations.push({ type: type.toUpperCase(), subtype: subtype.toUpperCase() });
    }
  return Object.fromEntries([...fields].map(([name, known]) => [name, { inputFields: [...known.values()] }]));
}
