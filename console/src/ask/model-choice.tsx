import { Select } from '../parts/input.tsx';
import * as texts from '../texts/index.ts';
import type { useModel } from './use-model.ts';

/** Who answers, where there is a choice. */
export function ModelChoice({ models, model, choose }: ReturnType<typeof useModel>) {
  if (models.length < 2) return null;
  return (
    <Select aria-label={texts.ask.model} value={model?.id} onChange={({ target }) => choose(target.value)}>
      {models.map(({ id, label }) => (
        <option key={id} value={id}>
          {label}
        </option>
      ))}
    </Select>
  );
}
