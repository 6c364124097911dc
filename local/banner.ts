import { join } from 'node:path';
import type { LocalState } from './local-state.ts';

/** Shown when everything is up, with a first command that works as pasted. */
export function banner(state: LocalState, options: { dataDir: string; tookMs: number }): string {
  const stateFile = join(options.dataDir, 'local.json');
  const secret = `$(node -p 'require("${stateFile}").clientSecret')`;
  const readToken = `node -p 'JSON.parse(require("fs").readFileSync(0)).access_token'`;
  return [
    '',
    `  The workspace is up (${(options.tookMs / 1000).toFixed(1)} s).`,
    '',
    ...(state.ownerUrl === null
      ? []
      : [`    Start here     ${state.ownerUrl} (sets your password; works once)`]),
    `    Console        ${state.apiUrl}/console/`,
    `    API            ${state.apiUrl}`,
    `    Reference      ${state.docsUrl}`,
    `    Temporal UI    ${state.temporalUiUrl ?? `of ${state.temporalAddress}`}`,
    ...(state.mailPageUrl === null ? [] : [`    Mails          ${state.mailPageUrl}`]),
    `    Metrics        ${state.metricsUrls.join(' (API), ')} (worker)`,
    `    Client id      ${state.clientId}`,
    `    Client secret  in ${stateFile} (clientSecret)`,
    `    Logs           ${join(options.dataDir, 'logs')}`,
    '',
    '  A first request:',
    '',
    `    TOKEN=$(curl -s ${state.apiUrl}/v1/auth/m2m/token \\`,
    `      -d client_id=${state.clientId} -d client_secret="${secret}" | ${readToken})`,
    `    curl -s ${state.apiUrl}/v1/projects -H "authorization: Bearer $TOKEN"`,
    '',
    '  Ctrl-C stops everything.',
    '',
  ].join('\n');
}
