import { expect, test } from 'vitest';
import { newId } from '../../../../data/ids.ts';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { insertReport, reviseReport } from '../../../../domain/publishing/reports/reports.ts';
import { getVersion } from '../../../../domain/publishing/reports/versions.ts';
import { projectOf } from '../../../support/conversations.ts';
import { useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();

test('a write that comes again after another one changes nothing', async () => {
  const client = await workspace.organization();
  const { organizationId, clientId: createdBy } = client;
  const projectId = await projectOf(client);
  const reportId = newId('rpt');
  const written = (content: string) => ({
    organizationId,
    projectId,
    title: 'Orders',
    content,
    dataVersions: [],
    createdBy,
    writeId: content,
  });
  await inOrganization(workspace.deps.db, organizationId, async (db) => {
    const source = { id: reportId, source: 'api', sourceId: null } as const;
    await insertReport(db, { ...written('first'), ...source });
    for (const content of ['second', 'third', 'second', 'first'])
      await reviseReport(db, { ...written(content), reportId });
    const report = await insertReport(db, { ...written('first'), ...source });
    expect([report.revision, (await getVersion(db, report)).content]).toEqual([3, 'third']);
  });
});
