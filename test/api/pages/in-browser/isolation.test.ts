import { expect, test } from 'vitest';
import { describeInChromium } from '../../../support/chromium.ts';
import { expectEventually } from '../../../support/eventually.ts';
import { authorization, expectTitle, startForeignSite, textOf, useBrowserLab, useSite } from './lab.ts';

describeInChromium('pages of other sites', () => {
  const lab = useBrowserLab();
  let body = '';
  const elsewhere = useSite(() => startForeignSite(() => body));

  test('cannot send the forms of the service', async () => {
    const page = await lab.newPage();
    await lab.owner(page, 'forged@example.com');
    const begun = (await lab.post('/v1/auth/device/code', { client_id: 'cli' })).body;
    const asked = new URLSearchParams(
      authorization({ redirect_uri: 'http://127.0.0.1:49152/callback' }).path.split('?')[1],
    );
    for (const [path, fields] of [
      ['/sign-out', {}],
      ['/sign-in', { email: 'forged@example.com', password: 'any password' }],
      ['/device', { user_code: begun.user_code, decision: 'approve' }],
      ['/v1/auth/authorize', { ...Object.fromEntries(asked), decision: 'approve' }],
    ] as const) {
      const inputs = Object.entries({ ...fields, form_token: 'guessed' }).map(
        ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
      );
      body = `<form method="post" action="${lab.origin()}${path}">${inputs.join('')}<button>Win</button></form>`;
      await page.goto(elsewhere().url);
      await page.getByRole('button').click();
      await expectTitle(page, 'The form was rejected');
    }
    await page.goto('/sign-in');
    expect(await textOf(page)).toContain("You're signed in as Ada Lovelace (forged@example.com)");
    await page.goto(begun.verification_uri_complete);
    await expectTitle(page, 'Approve this login?');
  });

  test('cannot show the pages in a frame', async () => {
    const page = await lab.newPage();
    await lab.owner(page, 'framed@example.com');
    for (const path of ['/sign-in', '/device', '/sign-out']) {
      body = `<h1>Elsewhere</h1><iframe src="${lab.origin()}${path}"></iframe>`;
      await page.goto(elsewhere().url);
      await expectEventually(() => page.frames().map((frame) => frame.url())).toContain(
        'chrome-error://chromewebdata/',
      );
      for (const frame of page.frames()) expect(await frame.content()).not.toContain('form_token');
    }
  });
});
