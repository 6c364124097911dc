import { z } from 'zod';
import { defineNodeType, type InputPort } from '../node-type.ts';
import { emailText, lineText, longText, secretUrl, urlText } from './texts.ts';

/** Sent along, as attachments or as text. */
const input: InputPort = {
  name: 'input',
  types: ['report', 'file', 'rows', 'value'],
  required: false,
  many: true,
};

export const emailDelivery = defineNodeType({
  type: 'email_delivery',
  label: 'E-mail',
  config: z.strictObject({
    to: z.array(emailText).min(1).max(50),
    subject: lineText,
    text: longText.optional(),
    format: z.enum(['markdown', 'pdf', 'docx', 'csv', 'json']).optional(),
  }),
  inputs: [input],
  outputs: [],
});

/** A Slack incoming webhook, whose address is the secret. */
export const slackDelivery = defineNodeType({
  type: 'slack_delivery',
  label: 'Slack',
  config: z.strictObject({ webhook_url: secretUrl, text: longText.min(1) }),
  inputs: [input],
  outputs: [],
  secretKeys: ['webhook_url'],
});

/**
 * A request signed in the same way as calls of webhook triggers, with an id that is the same for all retries.
 */
export const webhookDelivery = defineNodeType({
  type: 'webhook_delivery',
  label: 'Webhook',
  config: z.strictObject({
    url: urlText,
    secret: z.string().min(1).max(255),
    payload: z.record(z.string(), z.unknown()).optional(),
  }),
  inputs: [input],
  outputs: [],
  secretKeys: ['secret'],
});
