import { Text } from '@mantine/core';
import * as texts from '../../../texts/index.ts';

const labels = texts.automation.workflows.node;

type Schema = Record<string, unknown>;

/** What a config may have, by its JSON Schema: each member with its type and its limits. */
export function ConfigMembers({ schema }: { schema: Schema }) {
  const members = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
  const required = (schema['required'] ?? []) as readonly string[];
  if (members.length === 0) return <Text c="dimmed">{labels.noMembers}</Text>;
  return (
    <details>
      <summary>{labels.members}</summary>
      <ul>
        {members.map(([name, member]) => (
          <li key={name}>
            <code>{name}</code>: {inWords(member)}
            {required.includes(name) && `, ${labels.required}`}
          </li>
        ))}
      </ul>
      <details>
        <summary>{labels.schema}</summary>
        <pre>{JSON.stringify(schema, null, 2)}</pre>
      </details>
    </details>
  );
}

const shown = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'format', 'default'];

function inWords(member: Schema): string {
  const { type, enum: values, items, description } = member;
  const kind = Array.isArray(values)
    ? values.map((value) => JSON.stringify(value)).join(' | ')
    : String(type ?? '');
  const of = typeof items === 'object' && items !== null ? ` of ${inWords(items as Schema)}` : '';
  const limits = shown
    .filter((name) => name in member)
    .map((name) => `${name} ${JSON.stringify(member[name])}`);
  return [`${kind}${of}`, ...limits, ...(typeof description === 'string' ? [description] : [])].join(', ');
}
