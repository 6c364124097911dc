import type { Command } from 'commander';
import { accessToken, createWorkspace, deviceLogin, WorkspaceError } from '../../../typescript/src/index.ts';
import { contextOf, outputOf, profileAt, urlOf } from '../context.ts';
import { Failure } from '../failure.ts';
import { plain } from '../output.ts';
import { changeProfile, folder, readProfile, removeProfile } from '../profile.ts';
import { otherVersion, versionText } from '../version.ts';

export function loginCommands(program: Command): void {
  program
    .command('login')
    .description('log in with your browser, and keep the tokens in a file that only you can read')
    .option('--scope <scopes>', 'permissions of the login, separated by spaces')
    .action(async (options: { scope?: string }, command: Command) => {
      const [baseUrl, output] = [await urlOf(command), outputOf(command)];
      const tokens = await deviceLogin({
        baseUrl,
        ...options,
        onCode: ({ userCode, completeUrl }) =>
          output.hint(`Open ${plain(completeUrl)}\nand approve the code ${output.bold(plain(userCode))}.`),
      });
      await changeProfile((before) => ({ ...(before?.url === baseUrl ? before : {}), url: baseUrl, tokens }));
      const { data: me } = await createWorkspace({ baseUrl, auth: accessToken(tokens.accessToken) }).get(
        '/v1/me',
      );
      output.show(me, () => `Logged in to ${baseUrl} as ${plain(me.name)}. The tokens are in ${folder()}.`);
    });

  program
    .command('logout')
    .description('log out, here and at the service')
    .action(async (_: object, command: Command) => {
      const output = outputOf(command);
      const profile = await readProfile();
      await removeProfile();
      if (profile?.tokens === undefined)
        return output.show({ loggedOut: false }, () => "You weren't logged in.");
      const { accessToken: token } = profile.tokens;
      const service = createWorkspace({ baseUrl: profile.url, auth: accessToken(token), retryForMs: 10_000 });
      await service.post('/v1/auth/logout').catch((error: unknown) => {
        // A login that the service does not know any more has ended already.
        if (error instanceof WorkspaceError && error.status === 401) return;
        throw new Failure(`The tokens were removed here, but logging out at ${profile.url} failed.`);
      });
      output.show({ loggedOut: true }, () => 'Logged out.');
    });

  program
    .command('status')
    .description('show who you are, and which service and project you use')
    .action(async (_: object, command: Command) => {
      const context = await contextOf(command);
      const { workspace, output } = context;
      const [{ data: me }, { data: organization }, served] = await Promise.all([
        workspace.get('/v1/me'),
        workspace.get('/v1/organization'),
        otherVersion(workspace.baseUrl),
      ]);
      const projectId = (await profileAt(workspace.baseUrl))?.projectId ?? null;
      output.show({ url: workspace.baseUrl, me, organization, projectId }, () =>
        [
          `${output.dim('Service')}       ${workspace.baseUrl}`,
          `${output.dim('Organization')}  ${plain(organization.name)}`,
          `${output.dim('You')}           ${plain(me.name)}${me.role === null ? '' : `, ${me.role}`}`,
          `${output.dim('Scopes')}        ${me.scopes.join(' ')}`,
          `${output.dim('Project')}       ${projectId ?? 'none chosen'}`,
          ...(served === undefined ? [] : [versionText(plain(served))]),
        ].join('\n'),
      );
    });
}
