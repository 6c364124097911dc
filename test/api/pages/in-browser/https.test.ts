import { request as forward } from 'node:http';
import { expect, test } from 'vitest';
import { describeInChromium } from '../../../support/chromium.ts';
import { localhostCertificate } from '../../../support/localhost-certificate.ts';
import { useOwnWorkspace } from '../../../support/workspace.ts';
import { expectTitle, startSite, useBrowserLab, useSite } from './lab.ts';

describeInChromium('behind a proxy that speaks https, in a browser without scripts', () => {
  const proxy = useSite(() =>
    startSite((request, response) => {
      const { method, url, headers } = request;
      const sent = forward(`${lab.origin()}${url}`, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      request.pipe(sent);
    }, localhostCertificate),
  );
  const publicUrl = () => `https://localhost:${proxy().port}`;
  const workspace = useOwnWorkspace({
    get publicUrl() {
      return publicUrl();
    },
  });
  const lab = useBrowserLab(workspace);

  test('the cookies are this host’s alone, and of no use to scripts', async () => {
    const page = await lab.newPage({ baseURL: publicUrl(), ignoreHTTPSErrors: true });
    await lab.owner(page, 'ada@example.com');
    const cookies = await page.context().cookies();
    expect(cookies.map(({ name }) => name).sort()).toEqual(['__Host-form', '__Host-session']);
    for (const cookie of cookies)
      expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Strict', domain: 'localhost' });
    const { body } = await lab.post('/v1/auth/device/code', { client_id: 'cli' });
    expect(body.verification_uri_complete).toContain(`${publicUrl()}/device?`);
    await page.goto(body.verification_uri_complete);
    await page.getByRole('button', { name: 'Approve' }).click();
    await expectTitle(page, 'Approved');
    await page.goto('/sign-out');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expectTitle(page, 'Sign in');
    expect((await page.context().cookies()).map(({ name }) => name)).toEqual(['__Host-form']);
  });
});
