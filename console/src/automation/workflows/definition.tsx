import { useCallback, useState } from 'react';
import { List } from '../../parts/list.tsx';
import * as texts from '../../texts/index.ts';
import { Check } from './check.tsx';
import { Edges } from './edges.tsx';
import { type Edge, type Graph, type NodeType, type Run, type Workflow, withEdge } from './graph.ts';
import { GraphDrawing } from './later.tsx';
import { NodeEditor } from './node-editor.tsx';
import { NodeList } from './node-list.tsx';
import { useCheck } from './use-check.ts';
import type { DraftInHand } from './use-draft.ts';

const labels = texts.automation.workflows;

interface DefinitionProps {
  workflow: Workflow;
  types: readonly NodeType[];
  hand: DraftInHand;
  steps: Run['steps'];
}

/** What a workflow does: its graph drawn, its nodes listed, and the one in hand. */
export function Definition({ workflow, types, hand, steps }: DefinitionProps) {
  const { graph } = hand.draft;
  if (workflow.graph === null) return <Steps workflow={workflow} />;
  if (graph === undefined)
    return (
      <>
        <p>{labels.notDrawn}</p>
        <pre>{JSON.stringify(workflow.graph, null, 2)}</pre>
      </>
    );
  return <GraphDefinition {...{ workflow, types, hand, steps, graph }} />;
}

function GraphDefinition({ workflow, types, hand, steps, graph }: DefinitionProps & { graph: Graph }) {
  const [chosenId, setChosenId] = useState<string>();
  const check = useCheck(workflow, hand.saved.graph);
  const faults = check.data ?? none;
  const isEditable = workflow.status !== 'archived';
  const { change: changeDraft } = hand;
  const change = useCallback(
    (how: (before: Graph) => Graph) =>
      changeDraft((draft) => (draft.graph === undefined ? draft : { ...draft, graph: how(draft.graph) })),
    [changeDraft],
  );
  const connect = useCallback((edge: Edge) => change((before) => withEdge(before, edge)), [change]);
  const chosen = graph.nodes.find(({ id }) => id === chosenId);
  return (
    <>
      <div className="graph-and-nodes">
        <GraphDrawing
          {...{ graph, types, steps, faults, chosenId, onChoose: setChosenId }}
          onConnect={isEditable ? connect : undefined}
        />
        <div>
          <NodeList
            {...{ graph, types, steps, faults, chosenId, isEditable, change, onChoose: setChosenId }}
          />
          {chosen !== undefined && (
            <NodeEditor
              key={`${hand.loads} ${chosen.id}`}
              {...{ node: chosen, types, isEditable, change }}
              projectId={workflow.projectId}
              onHalf={hand.onHalf}
              faults={faults.filter(({ nodeId }) => nodeId === chosen.id)}
            />
          )}
        </div>
      </div>
      <Edges {...{ graph, types, isEditable, change }} />
      <Check {...{ check, graph, onChoose: setChosenId }} />
    </>
  );
}

const none: never[] = [];

const Steps = ({ workflow: { steps } }: { workflow: Workflow }) => (
  <>
    <h2>{labels.steps}</h2>
    <p>{labels.ofSteps}</p>
    <List
      label={labels.steps}
      items={steps}
      keyOf={({ id }) => id}
      columns={[
        { title: labels.step.position, value: ({ id }) => id },
        { title: labels.step.type, value: ({ type }) => type },
        {
          title: labels.step.config,
          value: ({ targetFileId, config, targets }) => (
            <pre>{JSON.stringify({ targetFileId, config, targets }, null, 2)}</pre>
          ),
        },
      ]}
    />
  </>
);
