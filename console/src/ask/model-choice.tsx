import { useQuery } from '@tanstack/react-query';
import { workspace } from '../session/login.ts';
import { texts } from '../texts/index.ts';

interface ModelChoiceProps {
  /** Undefined: the default of the service. */
  model: string | undefined;
  onChoose: (model: string) => void;
}

/** Who answers, where there is a choice. */
export function ModelChoice({ model, onChoose }: ModelChoiceProps) {
  const { data } = useQuery({ queryKey: ['models'], queryFn: () => workspace.get('/v1/models') });
  const models = data?.items ?? [];
  if (models.length < 2) return null;
  return (
    <select
      aria-label={texts.ask.model}
      value={(models.find(({ id }) => id === model) ?? models.find((one) => one.default))?.id}
      onChange={({ target }) => onChoose(target.value)}
    >
      {models.map(({ id, label }) => (
        <option key={id} value={id}>
          {label}
        </option>
      ))}
    </select>
  );
}
