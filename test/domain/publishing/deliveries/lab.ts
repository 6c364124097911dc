import { afterAll, beforeAll, beforeEach } from 'vitest';
import { newId } from '../../../../data/ids.ts';
import { createMailer } from '../../../../data/mail/mailer.ts';
import { parseSmtpUrl } from '../../../../data/mail/smtp-url.ts';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { attemptDelivery, type DeliveryDeps } from '../../../../domain/publishing/deliveries/attempt.ts';
import type { DeliveredContent, MailContent } from '../../../../domain/publishing/deliveries/content.ts';
import {
  type Delivery,
  getDelivery,
  insertDeliveries,
  type NewDelivery,
} from '../../../../domain/publishing/deliveries/deliveries.ts';
import { projectOf } from '../../../support/conversations.ts';
import { madeSchedule, writtenPlaybook } from '../../../support/schedules.ts';
import { startSmtpServer, type TestSmtpServer } from '../../../support/smtp-server.ts';
import { type TestClient, useWorkspace, type Workspace } from '../../../support/workspace.ts';

export const mailFrom = { name: 'Reports', address: 'reports@example.com' };

export interface Lab {
  workspace: Workspace;
  server: TestSmtpServer;
  /** The workspace's dependencies, with a mailer that has short timeouts. */
  deps: DeliveryDeps;
  client: TestClient;
  projectId: string;
  add(kind: Delivery['kind'], target: string, content: DeliveredContent | MailContent): Promise<string>;
  addMail(change?: Partial<MailContent>): Promise<string>;
  /** A fire of a schedule, to which deliveries belong. */
  addFire(): Promise<string>;
  attempt(deliveryId: string, deps?: DeliveryDeps): ReturnType<typeof attemptDelivery>;
  row(deliveryId: string): Promise<Delivery>;
  /** Runs a statement as the owner of the tables. */
  run(statement: string): Promise<unknown>;
}

/** A workspace, a mail server that misbehaves as configured, and deliveries to attempt. */
export function useLab(): Lab {
  const lab = {} as Lab;
  beforeAll(async () => {
    lab.server = await startSmtpServer();
  });
  afterAll(() => lab.server.close());
  const workspace = useWorkspace();
  lab.workspace = workspace;
  beforeAll(async () => {
    lab.client = await workspace.organization();
    lab.projectId = await projectOf(lab.client);
    const timeouts = { connectMs: 2_000, envelopeMs: 2_000, contentMs: 2_000 };
    const mailer = createMailer({ server: parseSmtpUrl(lab.server.url), from: mailFrom, timeouts });
    lab.deps = { ...workspace.deps, mailer };
  });
  beforeEach(() => {
    lab.server.misbehaviour = {};
    lab.server.mails.length = 0;
  });

  lab.add = async (kind, target, content) => {
    const { organizationId } = lab.client;
    const row: NewDelivery = {
      organization_id: organizationId,
      id: newId('dlv'),
      project_id: lab.projectId,
      kind,
      target,
      content: JSON.stringify(content),
      status: 'pending',
    };
    await inOrganization(workspace.deps.db, organizationId, (db) => insertDeliveries(db, [row]));
    return row.id;
  };
  lab.addMail = (change = {}) =>
    lab.add('email', 'ada@example.com', { subject: 'Sales', text: 'Up.', attachments: [], ...change });
  lab.addFire = async () => {
    const { organizationId } = lab.client;
    const playbookId = await writtenPlaybook(lab.client, lab.projectId);
    const { id: scheduleId } = await madeSchedule(lab.client, lab.projectId, playbookId);
    const id = newId('srn');
    await inOrganization(workspace.deps.db, organizationId, (db) =>
      db
        .insertInto('schedule_runs')
        .values({
          organization_id: organizationId,
          id,
          schedule_id: scheduleId,
          project_id: lab.projectId,
          fire_key: id,
          origin: 'cadence',
          scheduled_for: new Date(),
          local_time: '2027-03-28T02:30:00',
          zone_id: 'Europe/Berlin',
          status: 'running',
        })
        .execute(),
    );
    return id;
  };
  lab.attempt = (deliveryId, deps = lab.deps) =>
    attemptDelivery(deps, { organizationId: lab.client.organizationId, deliveryId });
  lab.row = (id) =>
    inOrganization(workspace.deps.db, lab.client.organizationId, (db) =>
      getDelivery(db, lab.client.organizationId, id),
    );
  lab.run = (statement) => workspace.deps.lake.catalogPool.query(statement);
  return lab;
}
