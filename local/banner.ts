import { join } from 'node:path';
import type { LocalState } from './local-state.ts';

/** Shown when everything is up, with a first command that works as pasted. */
export function banner(state: LocalState, options: { dataDir: string; tookMs: number }): string {
  const stateFile = join(options.dataDir, 'local.json');
  const secret = `$(node -p 'require("${stateFile}").clientSecret')`;
  const readToken = `node -p 'JSON.parse(require("fs").readFileSync(0)).access_token'`;
  return [
    '',
    `  The workspace is running (${(options.tookMs / 1000).toFixed(1)} s).`,
    '',
    ...(state.ownerUrl === null
      ? []
      : [`    Start here     ${state.ownerUrl} (set your password here; the link works once)`]),
    `    Console        ${state.apiUrl}/console/`,
    `    API            ${state.apiUrl}`,
    `    Reference      ${state.docsUrl}`,
    `    Temporal UI    ${state.temporalUiUrl ?? `at ${state.temporalAddress}`}`,
    ...(state.mailPageUrl === null ? [] : [`    Mail           ${state.mailPageUrl}`]),
    `    Metrics        ${state.metricsUrls.join(' (API), ')} (worker)`,
    ...(state.postgresPort === null
      ? []
      : [
          `    BI tools       PostgreSQL at 127.0.0.1:${state.postgresPort} (user: the client ID; docs/bi.md)`,
        ]),
    `    Client ID      ${state.clientId}`,
    `    Client secret  in ${stateFile} (clientSecret)`,
    `    Logs           ${join(options.dataDir, 'logs')}`,
    '',
    '  A first request:',
    '',
    `    TOKEN=$(curl -s ${state.apiUrl}/v1/auth/m2m/token \\`,
    `      -d client_id=${state.clientId} -d client_secret="${secret}" | ${readToken})`,
    `    curl -s ${state.apiUrl}/v1/projects -H "authorization: Bearer $TOKEN"`,
    '',
    '  Press Ctrl-C to stop everything.',
    '',
  ].join('\n');
}
