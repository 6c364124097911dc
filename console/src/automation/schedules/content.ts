import { type CadenceForm, cadenceBody, cadenceForm, newCadence } from '../../cadences/cadence.ts';
import { type Parameters, paramsOf, textOfValue } from '../parameters.ts';
import type { Schedule } from './target.tsx';

/** A schedule as it is edited. */
export interface Content {
  description: string;
  cadence: CadenceForm;
  values: Record<string, string>;
  folder: string;
  /** Addresses, one per line. */
  recipients: string;
}

export const newSchedule = (): Content => ({
  ...{ description: '', values: {}, folder: '', recipients: '' },
  cadence: newCadence(),
});

export const contentOf = ({ description, schedule, config }: Schedule): Content => ({
  description,
  cadence: cadenceForm(schedule),
  values: Object.fromEntries(
    Object.entries(config.params).map(([name, value]) => [name, textOfValue(value)]),
  ),
  folder: config.outputFolder,
  recipients: config.emailRecipients.map(({ email }) => email).join('\n'),
});

/** The same as it is sent. */
export const bodyOf = (content: Content, parameters: Parameters) => ({
  description: content.description,
  schedule: cadenceBody(content.cadence),
  config: {
    params: paramsOf(parameters, content.values),
    output_folder: content.folder,
    email_recipients: content.recipients
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map((email) => ({ email })),
  },
});

export type ScheduleBody = ReturnType<typeof bodyOf>;
