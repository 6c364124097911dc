import { expect, test } from 'vitest';
import { readApiConfig } from '../../api/config.ts';

const oidcOf = (settings: Record<string, string>) => readApiConfig({ ...process.env, ...settings }).oidc;
const right = { OIDC_ISSUER: 'https://id.example.com/realms/company', OIDC_CLIENT_ID: 'workspace' };

test('people sign in with local accounts unless a provider is configured', () => {
  expect(oidcOf({})).toBe(undefined);
  expect(oidcOf({ OIDC_ISSUER: '', OIDC_CLIENT_ID: '' })).toBe(undefined);
  expect(oidcOf(right)).toEqual({
    issuer: new URL(right.OIDC_ISSUER),
    clientId: 'workspace',
    clientSecret: undefined,
    scopes: 'openid email profile',
    label: 'id.example.com',
  });
  expect(oidcOf({ ...right, OIDC_ISSUER: 'http://127.0.0.1:9000', OIDC_LABEL: 'Here' })?.label).toBe('Here');
});

test('a provider is configured as a whole, and not in the clear', () => {
  for (const [change, fault] of [
    [{ OIDC_CLIENT_ID: '' }, 'OIDC_ISSUER and OIDC_CLIENT_ID'],
    [{ OIDC_ISSUER: '' }, 'OIDC_ISSUER and OIDC_CLIENT_ID'],
    [{ OIDC_ISSUER: 'http://id.example.com' }, 'OIDC_ISSUER'],
    [{ OIDC_ISSUER: 'http://127.0.0.1.example.com' }, 'OIDC_ISSUER'],
    [{ OIDC_ISSUER: 'company' }, 'OIDC_ISSUER'],
    [{ OIDC_SCOPES: 'email profile' }, 'OIDC_SCOPES'],
  ] as const)
    expect(() => oidcOf({ ...right, ...change }), JSON.stringify(change)).toThrow(fault);
});

test('the Temporal UI is an address of the web, below any path, or not set', () => {
  const uiOf = (TEMPORAL_UI_URL: string) =>
    readApiConfig({ ...process.env, TEMPORAL_NAMESPACE: 'sales', TEMPORAL_UI_URL }).temporalUi;
  expect(uiOf('')).toBe(undefined);
  expect(uiOf('https://ops.example.com/temporal/')).toEqual({
    url: 'https://ops.example.com/temporal',
    namespace: 'sales',
  });
  for (const wrong of ['javascript:alert(1)', 'ops.example.com', 'ftp://ops.example.com'])
    expect(() => uiOf(wrong), wrong).toThrow('TEMPORAL_UI_URL');
});

test('paths are put behind the public address, with or without a slash at its end', () => {
  const publicUrlOf = (PUBLIC_URL: string) => readApiConfig({ ...process.env, PUBLIC_URL }).publicUrl;
  expect(publicUrlOf('')).toBe(undefined);
  for (const written of ['https://workspace.example.com', 'https://workspace.example.com/'])
    expect(publicUrlOf(written)).toBe('https://workspace.example.com');
});
