import { Button, Checkbox, Group } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { describe } from '../data/subject.ts';
import { faultAt, unplaced } from '../parts/faults.ts';
import { useFirstFault } from '../parts/first-fault.ts';
import { Form } from '../parts/form.tsx';
import { Input, Select, TextArea } from '../parts/input.tsx';
import { Failure } from '../parts/states.tsx';
import { useUnsaved } from '../parts/use-unsaved.ts';
import * as texts from '../texts/index.ts';
import { bodyOf, type Content, type DefinitionBody, hasInexact, type Kind, paramsOf } from './content.ts';
import { ParamField } from './param-field.tsx';
import { TargetFields } from './target-fields.tsx';

const labels = texts.verification;
const kinds = Object.keys(labels.kinds) as Kind[];
const severities = Object.keys(labels.severities) as Content['severity'][];

interface DefinitionFormProps {
  initial: () => Content;
  /** Its kind stays once it is made. */
  isNew: boolean;
  label: string;
  /** Given what was stored last too. */
  save: (body: DefinitionBody, its: { kind: Kind; before: DefinitionBody }) => Promise<unknown>;
  /** It may have been changed elsewhere. */
  onRefused?: () => unknown;
}

/** What should hold of which tables, and what happens where it does not. */
export function DefinitionForm({ initial, isNew, label, save, onRefused }: DefinitionFormProps) {
  const [content, setContent] = useState(initial);
  const [stored, setStored] = useState(content);
  const change = (part: Partial<Content>) => setContent((before) => ({ ...before, ...part }));
  const { kind, params, tableId, isOfOne } = content;
  const columns = useColumns(isOfOne ? tableId : '');
  const others = useColumns(params['to_table_id'] ?? '');
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: (written: Content) => save(bodyOf(written), { kind, before: bodyOf(stored) }),
    onSuccess: (_, written) => setStored(written),
    onError: onRefused,
  });
  useUnsaved(content !== stored && !isPending);
  const form = useFirstFault(error);
  const places = [['name'], ['target'], ...paramsOf[kind].map(({ name }) => ['params', name])];
  const left = unplaced(error, places);
  return (
    <Form ref={form} onSubmit={() => mutate(content)}>
      <Input
        label={labels.name}
        fault={faultAt(error, 'name')}
        required
        maxLength={255}
        value={content.name}
        onChange={({ target }) => change({ name: target.value })}
      />
      <TargetFields {...{ content, change, error }} />
      <Select
        label={labels.kind}
        disabled={!isNew}
        value={kind}
        onChange={({ target }) => change({ kind: target.value as Kind })}
      >
        {kinds.map((kind) => (
          <option key={kind} value={kind}>
            {labels.kinds[kind]}
          </option>
        ))}
      </Select>
      {paramsOf[kind].map((param) => (
        <ParamField
          key={`${kind} ${param.name}`}
          param={param}
          value={params[param.name] ?? ''}
          fault={faultAt(error, 'params', param.name)}
          isEditable={param.as !== 'values' || !hasInexact(content)}
          columns={(param.as === 'otherColumns' ? others : columns).map(({ name }) => name)}
          onChange={(text) => change({ params: { ...params, [param.name]: text } })}
        />
      ))}
      <Select
        label={labels.severity}
        value={content.severity}
        onChange={({ target }) => change({ severity: target.value as Content['severity'] })}
      >
        {severities.map((severity) => (
          <option key={severity} value={severity}>
            {labels.severities[severity]}
          </option>
        ))}
      </Select>
      {(['blocking', 'keepRows', 'enabled'] as const).map((name) => (
        <Checkbox
          key={name}
          label={labels.flags[name]}
          checked={content[name]}
          onChange={({ target }) => change({ [name]: target.checked })}
        />
      ))}
      <TextArea
        label={labels.description}
        rows={2}
        maxLength={10_000}
        value={content.description}
        onChange={({ target }) => change({ description: target.value })}
      />
      <Group>
        <Button variant="filled" type="submit" disabled={isPending}>
          {label}
        </Button>
        {isSuccess && content === stored && <span role="status">{labels.saved}</span>}
      </Group>
      {left !== null && <Failure error={left} />}
    </Form>
  );
}

/** The columns of a table, once it is known. */
function useColumns(tableId: string) {
  const { data } = useQuery({
    queryKey: ['catalog', tableId],
    queryFn: () => describe(tableId),
    enabled: tableId !== '',
  });
  return data === undefined || 'isUnbuilt' in data ? [] : data.columns;
}
