import { z } from 'zod';
import type { ApiDeps, Routes } from '../../deps.ts';
import { route } from '../../route.ts';
import { effortSchema } from '../../schemas.ts';

const modelsAnswer = z
  .object({
    items: z.array(
      z
        .object({
          id: z.string(),
          label: z.string(),
          efforts: z.array(effortSchema).describe('The values of `effort` that the model accepts.'),
          default: z.boolean(),
        })
        .meta({ id: 'Model' }),
    ),
  })
  .meta({ examples: [{ items: [{ id: 'offline', label: 'Offline', efforts: [], default: true }] }] });

export function modelsRoutes(app: Routes, deps: ApiDeps): void {
  route(
    app,
    { db: deps.db, tag: 'Conversations' },
    ['GET', '/v1/models'],
    {
      summary: 'List models',
      description:
        '`offline` is always available. It is a deterministic analyst that makes no outgoing requests.',
    },
    { 200: modelsAnswer },
    async () => ({
      items: deps.models.list().map(({ isDefault, efforts, ...model }) => ({
        ...model,
        efforts: [...efforts],
        default: isDefault,
      })),
    }),
  );
}
