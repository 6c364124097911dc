import { z } from 'zod';
import { urlFault } from '../../../data/outgoing/outgoing.ts';
import { type DeployedApp, slugPattern } from '../../../domain/workspace/apps/apps.ts';
import { characters, envelope, timestamp, visibleName } from '../../schemas.ts';

export const appSchema = z
  .object({
    slug: z.string(),
    name: z.string(),
    url: z.string(),
    version: z.string(),
    environment: z.string(),
    description: z.string().nullable(),
    deployedAt: timestamp.describe('When the app was last registered.'),
    healthy: z.boolean().describe('Whether the last check got a 2xx response.'),
    lastCheckedAt: timestamp,
  })
  .meta({ id: 'App' });

export const appExample: z.input<typeof appSchema> = {
  slug: 'sales-dashboard',
  name: 'Sales dashboard',
  url: 'https://sales.example.com',
  version: '1.4.0',
  environment: 'production',
  description: 'Orders by region, by the hour.',
  deployedAt: '2026-11-21T08:30:00.000Z',
  healthy: true,
  lastCheckedAt: '2026-11-21T08:31:00.000Z',
};

export const appAnswer = envelope(appSchema).meta({ examples: [{ data: appExample }] });

const url = characters(1, 2_048)
  .check(({ value, issues }) => {
    const message = urlFault(value);
    if (message !== undefined) issues.push({ code: 'custom', message, input: value });
  })
  .describe('The address of the app: https, or http to an address that the operator allows.');

export const registerAppBody = z
  .strictObject({
    slug: z
      .string()
      .regex(slugPattern, 'A slug must have 1 to 63 letters a–z, digits and hyphens.')
      .describe('A name for URLs, unique in the organization.'),
    name: visibleName(255),
    url,
    version: visibleName(100),
    environment: visibleName(63).default('production'),
    health_path: z
      .string()
      .max(512)
      .regex(
        /^\/[\x21\x22\x24-\x5b\x5d-\x7e]*$/,
        'A health path must begin with / and contain only visible ASCII characters, without # and \\.',
      )
      .default('/healthz')
      .describe('A path below the path of `url`. The service requests it to check the health of the app.'),
    description: characters(0, 2_000).nullable().optional(),
  })
  .meta({
    examples: [
      {
        slug: 'sales-dashboard',
        name: 'Sales dashboard',
        url: 'https://sales.example.com',
        version: '1.4.0',
        health_path: '/healthz',
      },
    ],
  });

export function appView(app: DeployedApp): z.infer<typeof appSchema> {
  const { slug, name, url: address, version, environment, description } = app;
  return {
    slug,
    name,
    url: address,
    version,
    environment,
    description,
    deployedAt: app.deployed_at.toISOString(),
    healthy: app.failed_checks === 0,
    lastCheckedAt: app.last_checked_at.toISOString(),
  };
}
