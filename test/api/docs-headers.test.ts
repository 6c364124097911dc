import { expect, test } from 'vitest';
import { useWorkspace } from '../support/workspace.ts';

const workspace = useWorkspace();

test.each(['/docs', '/docs/', '/docs/static/index.html', '/docs/static/swagger-ui.css', '/docs/json'])(
  '%s is framed by nobody and runs only what is served here',
  async (path) => {
    const { headers } = await workspace.call('GET', path);
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    });
    expect(headers['content-security-policy']).toContain("script-src 'self'");
  },
);
