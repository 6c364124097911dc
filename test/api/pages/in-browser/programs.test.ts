import { expect, test } from 'vitest';
import { describeInChromium } from '../../../support/chromium.ts';
import { expectEventually } from '../../../support/eventually.ts';
import { localhostCertificate } from '../../../support/localhost-certificate.ts';
import {
  authorization,
  expectTitle,
  startForeignSite,
  startSite,
  textOf,
  useBrowserLab,
  useSite,
  watchCaching,
} from './lab.ts';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** A program that waits for its code on loopback, and then leads the person to its own site. */
async function startProgram() {
  const arrived: URL[] = [];
  const site = await startSite((request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1');
    if (url.pathname === '/callback') arrived.push(url);
    response.setHeader('content-type', 'text/html');
    if (url.searchParams.has('leads_on'))
      response.writeHead(302, { location: url.searchParams.get('leads_on')! });
    response.end('<!doctype html><title>Program</title><main><h1>Back in the program</h1></main>');
  });
  return { ...site, arrived, callback: `http://127.0.0.1:${site.port}/callback` };
}

describeInChromium('programs that ask for a login, in a browser without scripts', () => {
  const lab = useBrowserLab();
  const program = useSite(startProgram);
  let link = '';
  const elsewhere = useSite(() =>
    startForeignSite(() => `<main><h1>Elsewhere</h1><a href="${link}">Sign in</a></main>`),
  );

  const website = useSite(() =>
    startSite((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>Program</title><h1>You can close this page</h1>');
    }, localhostCertificate),
  );

  const begin = async () => (await lab.post('/v1/auth/device/code', { client_id: 'cli' })).body;
  const poll = (code: string) =>
    lab.post('/v1/auth/device/token', { client_id: 'cli', device_code: code, grant_type: deviceGrant });

  test('a login of another device is approved', async () => {
    const page = await lab.newPage();
    await lab.owner(page, 'device@example.com');
    await page.context().clearCookies();
    const isNothingKept = watchCaching(page);
    const begun = await begin();
    await page.goto(begun.verification_uri_complete);
    await lab.signIn(page, 'device@example.com');
    await expectTitle(page, 'Approve this login?');
    for (const shown of ['the command line', begun.user_code, 'Bakery & Sons'])
      expect(await textOf(page)).toContain(shown);
    await page.getByRole('button', { name: 'Approve' }).click();
    await expectTitle(page, 'Approved');
    const { status, body } = await poll(begun.device_code);
    expect(status).toBe(200);
    expect((await lab.me(body.access_token)).text).toContain('device@example.com');
    isNothingKept();
  });

  test('a code is typed, and the login denied', async () => {
    const page = await lab.newPage();
    await lab.owner(page, 'deny@example.com');
    const begun = await begin();
    await page.goto('/device');
    const field = page.getByLabel('Code shown by the program');
    await field.fill('BBBB-BBBB');
    await page.keyboard.press('Enter');
    await page.getByText('There is no login with this code.').waitFor();
    await field.fill(begun.user_code.toLowerCase().replace('-', ' '));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Deny' }).click();
    await expectTitle(page, 'Denied');
    expect((await poll(begun.device_code)).body.error).toBe('access_denied');
  });

  test('an approved program gets a code at its loopback address, and tokens for it', async () => {
    const page = await lab.newPage();
    await lab.owner(page, 'program@example.com');
    await page.context().clearCookies();
    const isNothingKept = watchCaching(page);
    const { callback, arrived } = program();
    const { path, verifier } = authorization({ redirect_uri: callback });
    await page.goto(path);
    await lab.signIn(page, 'program@example.com');
    await expectTitle(page, 'Approve this login?');
    isNothingKept();
    await page.getByRole('button', { name: 'Approve' }).click();
    await expectTitle(page, 'Back in the program');
    const { code, state, iss } = Object.fromEntries(arrived.at(-1)!.searchParams);
    expect([state, iss]).toEqual(['a b&c', lab.origin()]);
    const redeemed = await lab.post('/v1/auth/token', {
      grant_type: 'authorization_code',
      client_id: 'cli',
      redirect_uri: callback,
      code: code!,
      code_verifier: verifier,
    });
    expect((await lab.me(redeemed.body.access_token)).text).toContain('program@example.com');
  });

  test('a denied program is told, and a program may lead on to its own site', async () => {
    const page = await lab.newPage({ ignoreHTTPSErrors: true });
    await lab.owner(page, 'on@example.com');
    const { callback, arrived } = program();
    await page.goto(authorization({ redirect_uri: callback }).path);
    await page.getByRole('button', { name: 'Deny' }).click();
    await expectTitle(page, 'Back in the program');
    expect(arrived.at(-1)!.searchParams.get('error')).toBe('access_denied');
    const leadsOn = `${callback}?leads_on=${encodeURIComponent(`https://localhost:${website().port}/`)}`;
    await page.goto(authorization({ redirect_uri: leadsOn }).path);
    await page.getByRole('button', { name: 'Approve' }).click();
    await expectTitle(page, 'You can close this page');
  });

  test('whoever is signed in stays so on the way from another site', async () => {
    const page = await lab.newPage();
    await lab.owner(page, 'link@example.com');
    const begun = await begin();
    const askedBy = authorization({ redirect_uri: program().callback }).path;
    for (const [path, title] of [
      [askedBy, 'Approve this login?'],
      [`/device?user_code=${begun.user_code}`, 'Approve this login?'],
      ['/device', 'Sign in a program'],
      ['/sign-in', 'Signed in'],
    ] as const) {
      link = `${lab.origin()}${path}`;
      await page.goto(elsewhere().url);
      await page.getByRole('link').click();
      await expectTitle(page, title);
    }
    await page.context().clearCookies();
    await page.goto(elsewhere().url);
    await page.getByRole('link').click();
    await expectTitle(page, 'Sign in');
    await expectEventually(() => page.url()).toContain(lab.origin());
  });
});
