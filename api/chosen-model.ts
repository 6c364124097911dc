import { ValidationError } from '../data/errors.ts';
import type { Effort, Models } from '../domain/analyst/models/models.ts';

/** The model and effort of a request, checked against the offered models. */
export function chosenModel(
  models: Models,
  { model: id, effort }: { model?: string | undefined; effort?: Effort | undefined },
): { model: string; effort: Effort | null } {
  const found = models.find(id ?? models.defaultId);
  if (found !== undefined) return { model: found.id, effort: effort ?? null };
  const known = models.list().map((model) => model.id);
  throw new ValidationError([
    {
      loc: ['body', 'model'],
      msg: `This model doesn't exist. The models are ${known.join(', ')}.`,
      type: 'enum',
    },
  ]);
}
