import { Fieldset } from '@mantine/core';
import * as texts from '../../../texts/index.ts';
import type { ChangeGraph, GraphNode } from '../graph.ts';
import type { NodeFault } from '../use-check.ts';
import { ConfigMember } from './config-member.tsx';
import { ConfigMembers } from './config-members.tsx';
import { membersOf, type Schema, saidAt, withMember } from './members.ts';

interface ConfigFormProps {
  node: GraphNode;
  /** Of the config; undefined for a type that the service does not have. */
  schema: Schema | undefined;
  projectId: string;
  faults: readonly NodeFault[];
  isEditable: boolean;
  change: ChangeGraph;
  onHalf: (by: 1 | -1) => void;
}

/** A field for each member that a node's config may have. */
export function ConfigForm(props: ConfigFormProps) {
  const { node, schema, projectId, faults, isEditable, change, onHalf } = props;
  const required = (schema?.['required'] ?? []) as readonly string[];
  return (
    <Fieldset legend={texts.automation.workflows.node.config}>
      {membersOf(schema, node.config).map(([name, member]) => (
        <ConfigMember
          key={name}
          {...{ name, projectId, isEditable, onHalf }}
          schema={member}
          isRequired={required.includes(name)}
          value={node.config[name]}
          fault={saidAt(faults, `config.${name}`)}
          onChange={(value) => change((graph) => withMember(graph, node.id, name, value))}
        />
      ))}
      {schema !== undefined && <ConfigMembers schema={schema} />}
    </Fieldset>
  );
}
